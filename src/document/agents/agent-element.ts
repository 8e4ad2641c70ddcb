import { isProfileResource } from '../unsupported/elastic-resource.ts'
import { hasResourceCharacters } from '../rules/jobs.ts'
import { nameKey } from '../../core/name-key.ts'
import { type NewElement, newElement } from '../edit/new-element.ts'
import { elementsAt } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { CRUISE_CHILDREN } from '../structure/child-order.ts'
import { insertIntoChild } from '../edit/insert-into-child.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'

/** An agent as the configuration lists it. */
export interface AgentDeclaration {
  readonly uuid: string
  readonly hostname: string
  readonly ipaddress: string
  readonly resources: readonly string[]
  /** Whether it is listed as disabled, whatever others are. */
  readonly isDisabled?: boolean
}

/** Whether the configuration can hold a resource of this name. */
export function isResourceName(text: string): boolean {
  return (hasResourceCharacters(text) && text.trim() !== '') || isProfileResource(text)
}

export function agentElement(
  { uuid, hostname, ipaddress, resources }: AgentDeclaration,
  { disabled }: { readonly disabled: boolean },
): NewElement {
  const names = new Set(resources.map((name) => name.trim()).filter(isResourceName))
  const listed = [...names].map((name) => newElement('resource', {}, [name]))
  return newElement(
    'agent',
    { hostname, ipaddress, uuid, isDisabled: disabled ? 'true' : null },
    listed.length > 0 ? [newElement('resources', {}, listed)] : [],
  )
}

export function agentElements(root: XmlElement): XmlElement[] {
  return elementsAt(root, 'agents/agent')
}

export function findAgent(root: XmlElement, uuid: string): XmlElement | null {
  return agentElements(root).find((agent) => agent.attributeValue('uuid') === uuid) ?? null
}

export function environmentElements(root: XmlElement): XmlElement[] {
  return elementsAt(root, 'environments/environment')
}

/** Environment names are the same whatever their case. */
export function environmentKey(name: string): string {
  return nameKey(name.trim())
}

/** The edits that append agents to the list, which is created where there is none. */
export function insertAgents(
  root: XmlElement,
  agents: readonly AgentDeclaration[],
  flags: { readonly disabled: boolean },
): XmlEdit[] {
  return insertIntoChild({
    parent: root,
    child: 'agents',
    order: CRUISE_CHILDREN,
    elements: agents.map((agent) =>
      agentElement(agent, { disabled: flags.disabled || agent.isDisabled === true }),
    ),
  })
}
