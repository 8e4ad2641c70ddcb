import { ENVIRONMENT_CHILDREN } from '../structure/child-order.ts'
import { applyEdits } from '../edit/apply-edits.ts'
import { insertIntoChild } from '../edit/insert-into-child.ts'
import type { EditableDocument } from '../edit/layout.ts'
import { newElement } from '../edit/new-element.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'
import { elementsAt } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import {
  agentElements,
  environmentElements,
  environmentKey,
  isResourceName,
  type AgentDeclaration,
  insertAgents,
} from './agent-element.ts'

/** An agent that registers itself, with the resources and environments it asks for. */
export interface RegisteringAgent extends AgentDeclaration {
  readonly environments: readonly string[]
}

/** A wish of an agent that the configuration does not have or cannot hold. */
export interface IgnoredWish {
  readonly uuid: string
  readonly kind: 'environment' | 'resource'
  readonly name: string
}

export interface Registration {
  /** The new text, or null when every agent was listed already. */
  readonly text: string | null
  /** The agents that are new on the list; the others stay as they are. */
  readonly registered: readonly string[]
  readonly ignored: readonly IgnoredWish[]
}

/** Lists many agents at once, enabled, and adds them to the environments that exist. */
export function registerAgents(
  document: EditableDocument,
  agents: readonly RegisteringAgent[],
): Registration {
  const fresh = unlisted(document.root, agents)
  const environments = environmentsByName(document.root)
  const edits = [
    ...insertAgents(document.root, fresh, { disabled: false }),
    ...membershipEdits(fresh, environments),
  ]
  return {
    text: applyEdits(document, edits),
    registered: fresh.map(({ uuid }) => uuid),
    ignored: fresh.flatMap((agent) => ignoredWishes(agent, environments)),
  }
}

function unlisted(root: XmlElement, agents: readonly RegisteringAgent[]): RegisteringAgent[] {
  const uuids = new Set(agentElements(root).map((agent) => agent.attributeValue('uuid')))
  return agents.filter(({ uuid }) => {
    const fresh = !uuids.has(uuid)
    uuids.add(uuid)
    return fresh
  })
}

type Environments = ReadonlyMap<string, XmlElement>

function environmentsByName(root: XmlElement): Environments {
  return new Map(
    environmentElements(root).map((environment) => [
      environmentKey(environment.attributeValue('name') ?? ''),
      environment,
    ]),
  )
}

function membershipEdits(
  agents: readonly RegisteringAgent[],
  environments: Environments,
): XmlEdit[] {
  return [...environments].flatMap(([key, environment]) => {
    const members = membersOf(environment)
    const joining = agents.filter(
      (agent) => !members.has(agent.uuid) && agent.environments.map(environmentKey).includes(key),
    )
    return insertIntoChild({
      parent: environment,
      child: 'agents',
      order: ENVIRONMENT_CHILDREN,
      elements: joining.map(({ uuid }) => newElement('physical', { uuid })),
    })
  })
}

function membersOf(environment: XmlElement): ReadonlySet<string | null> {
  const physical = elementsAt(environment, 'agents/physical')
  return new Set(physical.map((member) => member.attributeValue('uuid')))
}

function ignoredWishes(agent: RegisteringAgent, environments: Environments): IgnoredWish[] {
  const { uuid } = agent
  const unknown = agent.environments.filter((name) => !environments.has(environmentKey(name)))
  const unusable = agent.resources.filter((name) => !isResourceName(name))
  return [
    ...unknown.map((name) => ({ uuid, kind: 'environment', name }) as const),
    ...unusable.map((name) => ({ uuid, kind: 'resource', name }) as const),
  ].filter(({ name }) => name.trim() !== '')
}
