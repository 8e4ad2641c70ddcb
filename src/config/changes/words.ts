import { shorten } from '../shorten.ts'
import { attributeOf, childElements, textOf } from '../xml-elements.ts'
import type { XmlElement } from '../xml-tree.ts'
import { identityOf } from './change.ts'
import { HIDDEN, shownAttribute, shownText } from './hide-secrets.ts'

const MATERIALS = new Set(['git', 'svn', 'hg', 'p4', 'tfs', 'package', 'scm'])

const WORDS = new Map([
  ['pipelines', 'group'],
  ['fetchartifact', 'fetch task'],
  ['ant', 'ant task'],
  ['nant', 'nant task'],
  ['rake', 'rake task'],
  ['task', 'plugin task'],
  ['runif', 'run if'],
  ['oncancel', 'on cancel'],
  ['trackingtool', 'tracking tool'],
  ['passwordFile', 'password file'],
  ['arg', 'argument'],
  ['physical', 'agent'],
  ['test', 'test artifact'],
])

/** What an element is called in a change, such as `stage test` or `task make`. */
export function labelOf(element: XmlElement): string {
  const { name } = element
  if (name === 'exec') return `task ${commandOf(element)}`
  if (name === 'arg') return `argument ${shorten(shownText(element, textOf(element).trim()))}`
  const identity = shorten(shownAttribute('identity', identityOf(element)))
  const word = wordOf(element)
  return identity === '' ? word : `${word} ${identity}`
}

/** What an element is called without what tells it from its like. */
export function wordOf({ name, parent }: XmlElement): string {
  if (name === 'pipeline' && parent?.name === 'materials') return 'upstream pipeline'
  if (name === 'pipeline' && parent?.name === 'templates') return 'template'
  const isMaterial = MATERIALS.has(name) && parent?.name === 'materials'
  return isMaterial ? `${name} material` : (WORDS.get(name) ?? name)
}

/** Enough of a command to know which one of a job it is. */
function commandOf(element: XmlElement): string {
  const first = childElements(element).find(({ name }) => name === 'arg')
  const argument = attributeOf(element, 'args') ?? (first ? textOf(first).trim() : '')
  const line = `${attributeOf(element, 'command') ?? ''} ${argument}`.trim()
  const said = line.length > 30 ? `${line.slice(0, 29)}…` : line
  return /password|secret|token/i.test(line) ? HIDDEN : said
}

/** What the members of a list are called together. */
export function pluralOf(element: XmlElement): string {
  const { name, parent } = element
  if (MATERIALS.has(name) || parent?.name === 'materials') return 'materials'
  if (parent?.name === 'tasks') return 'tasks'
  if (name === 'pipelines') return 'groups'
  return parent?.name === 'templates' ? 'templates' : `${WORDS.get(name) ?? name}s`
}
