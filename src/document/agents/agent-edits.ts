import { nameKey } from '../../core/name-key.ts'
import { ENVIRONMENT_CHILDREN } from '../structure/child-order.ts'
import { applyEdits } from '../edit/apply-edits.ts'
import type { EditableDocument } from '../edit/layout.ts'
import { insertIntoChild } from '../edit/insert-into-child.ts'
import { newElement } from '../edit/new-element.ts'
import type { Emptied, XmlEdit } from '../edit/xml-edit.ts'
import { elementsAt, isTrue, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import {
  environmentElements,
  environmentKey,
  findAgent,
  type AgentDeclaration,
  insertAgents,
} from './agent-element.ts'

/** The flags that disable an agent; the second is from older schemas. */
const FLAGS = ['isDisabled', 'isDenied'] as const

/** Enables an agent, and lists one that is not listed yet. Null when it is enabled already. */
export function enableAgent(document: EditableDocument, agent: AgentDeclaration): string | null {
  const element = findAgent(document.root, agent.uuid)
  if (!element)
    return applyEdits(document, insertAgents(document.root, [agent], { disabled: false }))
  const set = FLAGS.filter((name) => isTrue(element, name))
  return applyEdits(
    document,
    set.map((name) => ({ kind: 'remove-attribute', element, name })),
  )
}

/** Disables an agent, and lists one that is not listed yet as disabled. Null when it is disabled already. */
export function disableAgent(document: EditableDocument, agent: AgentDeclaration): string | null {
  const element = findAgent(document.root, agent.uuid)
  if (!element)
    return applyEdits(document, insertAgents(document.root, [agent], { disabled: true }))
  if (FLAGS.some((name) => isTrue(element, name))) return null
  return applyEdits(document, [
    { kind: 'set-attribute', element, name: 'isDisabled', value: 'true' },
  ])
}

/** Removes an agent from the list and from every environment. Null when it is in neither. */
export function deleteAgent(document: EditableDocument, uuid: string): string | null {
  const agent = findAgent(document.root, uuid)
  const places = environmentElements(document.root).flatMap((environment) =>
    placesIn(environment, uuid),
  )
  return applyEdits(
    document,
    (agent ? [agent, ...places] : places).map((element) => removal(element)),
  )
}

export interface AgentAddress {
  readonly uuid: string
  readonly hostname: string
  readonly ipaddress: string
}

/** Updates the address of an agent. Null when it is unchanged, or the agent is not listed. */
export function changeAgentAddress(
  document: EditableDocument,
  { uuid, hostname, ipaddress }: AgentAddress,
): string | null {
  const element = findAgent(document.root, uuid)
  if (!element) return null
  return applyEdits(document, [
    { kind: 'set-attribute', element, name: 'hostname', value: hostname },
    { kind: 'set-attribute', element, name: 'ipaddress', value: ipaddress },
  ])
}

/** Names of resources and environments. */
export interface AgentNames {
  readonly resources: readonly string[]
  readonly environments: readonly string[]
}

/** The changes of a listed agent; absent fields stay unchanged. */
export interface AgentChanges {
  readonly hostname?: string
  /** The new resources, replacing all others. */
  readonly resources?: readonly string[]
  /** The names of its environments, replacing all others. */
  readonly environments?: readonly string[]
  readonly added?: AgentNames
  readonly removed?: AgentNames
}

/** Changes a listed agent. Null when nothing would change, or the agent is not listed. */
export function changeAgent(
  document: EditableDocument,
  uuid: string,
  changes: AgentChanges,
): string | null {
  const element = findAgent(document.root, uuid)
  if (!element) return null
  const { hostname } = changes
  const { resources, environments } = wantedNames(namesOf(document.root, element, uuid), changes)
  return applyEdits(document, [
    ...(hostname === undefined
      ? []
      : [{ kind: 'set-attribute', element, name: 'hostname', value: hostname } as const]),
    ...resourceEdits(element, resources),
    ...placeEdits(document.root, uuid, environments),
  ])
}

/** The resources of an agent, and the environments that it is in. */
function namesOf(root: XmlElement, agent: XmlElement, uuid: string): AgentNames {
  const places = environmentElements(root).filter((each) => placesIn(each, uuid).length > 0)
  return {
    resources: elementsAt(agent, 'resources/resource').map((each) => elementText(each).trim()),
    environments: places.map((environment) => environment.attributeValue('name') ?? ''),
  }
}

function wantedNames(
  listed: AgentNames,
  { resources, environments, added, removed }: AgentChanges,
): AgentNames {
  return {
    resources: changedNames(resources ?? listed.resources, added?.resources, removed?.resources),
    environments: changedNames(
      environments ?? listed.environments,
      added?.environments,
      removed?.environments,
    ),
  }
}

/** Names with others added and removed, whatever their case; each stays as it is spelled first. */
function changedNames(
  names: readonly string[],
  added: readonly string[] = [],
  removed: readonly string[] = [],
): readonly string[] {
  const without = new Set(removed.map(nameKey))
  const keys = new Set(names.map(nameKey))
  const fresh = added.filter((name) => !keys.has(nameKey(name)))
  return [...names, ...fresh].filter((name) => !without.has(nameKey(name)))
}

function resourceEdits(agent: XmlElement, wanted: readonly string[]): XmlEdit[] {
  const listed = elementsAt(agent, 'resources/resource')
  const texts = new Set(listed.map((resource) => elementText(resource).trim()))
  const added = wanted.filter((name) => !texts.has(name))
  const removed = listed.filter((resource) => !wanted.includes(elementText(resource).trim()))
  return [
    ...removed.map((resource) => removal(resource, 'remove')),
    ...insertIntoChild({
      parent: agent,
      child: 'resources',
      order: ['resources'],
      elements: added.map((name) => newElement('resource', {}, [name])),
    }),
  ]
}

function placeEdits(root: XmlElement, uuid: string, wanted: readonly string[]): XmlEdit[] {
  const names = wanted.map(environmentKey)
  return environmentElements(root).flatMap((environment) => {
    const isWanted = names.includes(environmentKey(environment.attributeValue('name') ?? ''))
    const places = placesIn(environment, uuid)
    if (!isWanted) return places.map((place) => removal(place))
    if (places.length > 0) return []
    const elements = [newElement('physical', { uuid })]
    return insertIntoChild({
      parent: environment,
      child: 'agents',
      order: ENVIRONMENT_CHILDREN,
      elements,
    })
  })
}

function placesIn(environment: XmlElement, uuid: string): XmlElement[] {
  const physical = elementsAt(environment, 'agents/physical')
  return physical.filter((place) => place.attributeValue('uuid') === uuid)
}

function removal(element: XmlElement, emptied: Emptied = 'close'): XmlEdit {
  return { kind: 'remove', element, emptied }
}
