import { applyEdits } from '../edit/apply-edits.ts'
import type { EditableDocument } from '../edit/layout.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'
import { attributeOf, elementsAt, isTrue } from '../xml-elements.ts'
import type { XmlElement } from '../xml-tree.ts'
import { environmentElements, findAgent, type ListedAgent } from './agent-element.ts'
import { listAgents } from './list-agents.ts'

/** The flags that keep an agent from work; the second is of older schemas. */
const FLAGS = ['isDisabled', 'isDenied'] as const

/** Enables an agent, and lists one that is not listed yet. Null when it is enabled already. */
export function enableAgent(document: EditableDocument, agent: ListedAgent): string | null {
  const element = findAgent(document.root, agent.uuid)
  if (!element) return applyEdits(document, listAgents(document.root, [agent], { disabled: false }))
  const set = FLAGS.filter((name) => isTrue(element, name))
  return applyEdits(
    document,
    set.map((name) => ({ kind: 'remove-attribute', element, name })),
  )
}

/** Disables an agent, and lists one that is not listed yet as disabled. Null when it is disabled already. */
export function disableAgent(document: EditableDocument, agent: ListedAgent): string | null {
  const element = findAgent(document.root, agent.uuid)
  if (!element) return applyEdits(document, listAgents(document.root, [agent], { disabled: true }))
  if (FLAGS.some((name) => isTrue(element, name))) return null
  return applyEdits(document, [
    { kind: 'set-attribute', element, name: 'isDisabled', value: 'true' },
  ])
}

/** Takes an agent off the list and out of every environment. Null when neither knows it. */
export function deleteAgent(document: EditableDocument, uuid: string): string | null {
  const agent = findAgent(document.root, uuid)
  const places = environmentElements(document.root).flatMap((environment) =>
    elementsAt(environment, 'agents/physical').filter(
      (physical) => attributeOf(physical, 'uuid') === uuid,
    ),
  )
  return applyEdits(document, (agent ? [agent, ...places] : places).map(removal))
}

/** Where an agent is now. */
export interface AgentAddress {
  readonly uuid: string
  readonly hostname: string
  readonly ipaddress: string
}

/** Notes the address an agent reports. Null when it is the one listed, or the agent is not listed. */
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

function removal(element: XmlElement): XmlEdit {
  return { kind: 'remove', element, emptied: 'close' }
}
