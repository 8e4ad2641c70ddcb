import { childElements, elementsAt, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { elementIdentity, elementKindOf } from './element-kind.ts'
import { memoize } from '../../lib/memoize.ts'
import { displayedName } from '../entities/shown-value.ts'

/** The label of an element in changes: a word and, mostly, a name. */
export function labelOf(element: XmlElement): string {
  const { word } = elementKindOf(element)
  if (word === 'task') return `task “${displayedName(taskText(element))}”`
  if (word === 'material') return `material ${displayedName(materialText(element))}`
  if (word === 'argument') return `argument “${displayedName(argumentText(element))}”`
  const identity = hostOf(element) ?? elementIdentity(element)
  const named = identity === null ? word : `${word} ${displayedName(identity)}`
  return inRole(element.parent?.name ?? '', named)
}

/** The host of an agent that an environment lists by its uuid; null for anything else. */
function hostOf(element: XmlElement): string | null {
  if (element.name !== 'physical') return null
  let root = element
  while (root.parent !== null) root = root.parent
  return hostsIn(root).get(element.attributeValue('uuid')) ?? null
}

const hostsIn = memoize(
  (root: XmlElement) =>
    new Map(
      elementsAt(root, 'agents/agent').map((agent) => [
        agent.attributeValue('uuid'),
        agent.attributeValue('hostname'),
      ]),
    ),
)

/** Users and roles are labelled by the list they are in. */
function inRole(list: string, named: string): string {
  if (list === 'view' || list === 'operate') return `${list} permission of ${named}`
  if (list === 'admins') return `administrator ${named}`
  return list === 'authorization' ? `approver ${named}` : named
}

/** The command of a task, as one would type it. */
export function taskText(task: XmlElement): string {
  if (task.name === 'exec') return commandLine(task)
  if (task.name === 'fetchartifact') return fetchText(task)
  if (task.name === 'task') return `plugin ${pluginOf(task)}`
  const details = ['buildfile', 'target'].map((name) => task.attributeValue(name) ?? '')
  return [task.name, ...details].filter((part) => part !== '').join(' ')
}

function commandLine(task: XmlElement): string {
  const args = elementsAt(task, 'arg').map((arg) => quoted(argumentText(arg)))
  return [task.attributeValue('command') ?? '', task.attributeValue('args') ?? '', ...args]
    .filter((part) => part !== '')
    .join(' ')
}

/** Later versions write it as an attribute. */
function argumentText(argument: XmlElement): string {
  return argument.attributeValue('value') ?? elementText(argument).trim()
}

/** An argument of several words, held together as in a shell. */
function quoted(argument: string): string {
  if (!/\s/.test(argument)) return argument
  return argument.includes("'") ? `"${argument}"` : `'${argument}'`
}

function fetchText(task: XmlElement): string {
  const place = ['pipeline', 'stage', 'job'].map((name) => task.attributeValue(name) ?? '')
  const source = task.attributeValue('srcfile') ?? task.attributeValue('srcdir') ?? ''
  return `fetch ${place.filter((part) => part !== '').join('/')} ${source}`.trim()
}

function pluginOf(task: XmlElement): string {
  const [plugin] = elementsAt(task, 'pluginConfiguration')
  return (plugin && plugin.attributeValue('id')) ?? 'task'
}

function materialText(material: XmlElement): string {
  const names = ['materialName', 'url', 'port', 'pipelineName', 'ref']
  const given = names.map((name) => material.attributeValue(name)).find((name) => name !== null)
  return `${material.name} ${given ?? ''}`.trim()
}

/** The value of an element that contains only text, or null. */
export function leafText(element: XmlElement): string | null {
  if (elementKindOf(element).by === '#text' || childElements(element).length > 0) return null
  const text = elementText(element).trim()
  return text === '' ? null : text
}
