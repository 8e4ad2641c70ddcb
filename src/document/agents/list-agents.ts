import { CRUISE_CHILDREN } from '../structure/child-order.ts'
import { insertIntoChild } from '../edit/insert-into-child.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { agentElement, type AgentDeclaration } from './agent-element.ts'

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
    elements: agents.map((agent) => agentElement(agent, flags)),
  })
}
