import { contentOf } from '../../../src/document/changes/content.ts'
import { applyEdits } from '../../../src/document/edit/apply-edits.ts'
import { type Inserted, newElement } from '../../../src/document/edit/new-element.ts'
import type { InsertionPlace, XmlEdit } from '../../../src/document/edit/xml-edit.ts'
import { childElements, elementText } from '../../../src/document/xml/xml-elements.ts'
import type { XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { rememberedDocument } from '../../support/documents/xml-documents.ts'

/** One edit of a thing that it finds by name, wherever that stands. */
export interface NamedEdit {
  readonly words: string
  /** The parts that it changes; a part lies in all whose names begin its own. */
  readonly parts: readonly string[]
  /** The pipeline that it renames, and the new name. */
  readonly renamed: readonly [from: string, to: string] | null
  /** The text with the edit; null where the thing is not there. */
  readonly apply: (text: string, renames: ReadonlyMap<string, string>) => string | null
}

/** Picks from a list; the same picks for the same seed. */
export class Picks {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A number below a limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }

  of<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)]
  }
}

const NAMING = ['name', 'group', 'uuid', 'id', 'url', 'pipelineName', 'src', 'pattern', 'ref']
const BY_TEXT = new Set(['user', 'role', 'resource', 'allow', 'deny'])

/** The names of the elements of a document that have one of their own: a pipeline has it in any group. */
export function namesOf({ root }: XmlDocument): ReadonlyMap<string, XmlElement> {
  const found = new Map<string, XmlElement | null>()
  const walk = (element: XmlElement, name: string): void => {
    found.set(name, found.has(name) ? null : element)
    for (const child of childElements(element)) {
      const isPipeline = child.name === 'pipeline' && element.parent?.parent === null
      const above = isPipeline && element.name === 'pipelines' ? '' : name
      walk(child, `${above}/${ownName(child)}`)
    }
  }
  walk(root, '')
  return new Map([...found].flatMap(([name, element]) => (element ? [[name, element]] : [])))
}

function ownName(element: XmlElement): string {
  const { name, parent } = element
  if (parent?.name === 'tasks' || name === 'arg') return `task ${contentOf(element)}`
  if (BY_TEXT.has(name)) return `${name} ${elementText(element).trim()}`
  const naming = NAMING.find((attribute) => element.attributes.has(attribute))
  return naming === undefined ? name : `${name} ${element.attributeValue(naming)?.toLowerCase()}`
}

/** The name of a thing after renames of pipelines. */
export function renamedTo(name: string, renames: ReadonlyMap<string, string>): string {
  const [, first = '', rest = ''] = /^\/pipeline ([^/]+)(.*)$/s.exec(name) ?? []
  const renamed = renames.get(first)
  return renamed === undefined ? name : `/pipeline ${renamed}${rest}`
}

const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  pipeline: ['labeltemplate'],
  stage: ['cleanWorkingDir', 'fetchMaterials'],
  job: ['timeout', 'runOnAllAgents'],
  git: ['branch', 'dest'],
  exec: ['workingdir', 'command'],
  agent: ['ipaddress', 'hostname'],
  server: ['jobTimeout', 'siteUrl'],
  approval: ['type'],
}
/** An attribute that makes a copy another thing. */
const OWN: Readonly<Record<string, string>> = { pipeline: 'labeltemplate', job: 'timeout' }
const REMOVED = new Set('pipeline agent exec variable resource tab artifact ignore user'.split(' '))
const LISTS = new Set('pipelines agents jobs environments environmentvariables tasks'.split(' '))

/** A random edit of a document; null where the pick finds nothing to edit. */
export function randomEdit(document: XmlDocument, picks: Picks, fresh: string): NamedEdit | null {
  const all = [...namesOf(document)]
  const pick = (test: (element: XmlElement) => boolean) =>
    picks.of(all.filter(([, element]) => test(element)))
  const makers = [setAttribute, setAttribute, setValue, remove, insert, insert, move, move]
  const make = picks.of([...makers, turn, moveToGroup, rename, comment]) ?? setAttribute
  return make({ document, pick, picks, fresh })
}

interface Maker {
  readonly document: XmlDocument
  readonly pick: (
    test: (element: XmlElement) => boolean,
  ) => readonly [string, XmlElement] | undefined
  readonly picks: Picks
  /** A word that no other edit has. */
  readonly fresh: string
}

type Find = (name: string) => XmlElement | undefined

function named(
  words: string,
  parts: readonly string[],
  edits: (find: Find, text: string) => readonly XmlEdit[] | null,
): NamedEdit {
  return {
    words,
    parts,
    renamed: null,
    apply: (text, renames) => {
      const document = rememberedDocument(text)
      const names = namesOf(document)
      const made = edits((name) => names.get(renamedTo(name, renames)), text)
      return made === null ? null : applyEdits(document, made)
    },
  }
}

function setAttribute({ pick, picks, fresh }: Maker): NamedEdit | null {
  const [name, found] = pick((element) => element.name in ATTRIBUTES) ?? []
  const attribute = picks.of(ATTRIBUTES[found?.name ?? ''] ?? [])
  if (name === undefined || attribute === undefined) return null
  return named(`${attribute} of ${name}`, [`${name}@${attribute}`], (find) => {
    const element = find(name)
    return element ? [{ kind: 'set-attribute', element, name: attribute, value: fresh }] : null
  })
}

function setValue({ pick, fresh }: Maker): NamedEdit | null {
  const [name] = pick((element) => element.name === 'value') ?? []
  if (name === undefined) return null
  return named(`text of ${name}`, [name], (find) => {
    const element = find(name)
    return element ? [{ kind: 'set-text', element, text: fresh }] : null
  })
}

function remove({ pick }: Maker): NamedEdit | null {
  const [name] = pick((element) => REMOVED.has(element.name) && element.parent !== null) ?? []
  if (name === undefined) return null
  return named(`remove ${name}`, [name], (find) => {
    const element = find(name)
    return element ? [{ kind: 'remove', element, emptied: 'close' }] : null
  })
}

/** Adds a member to a list: a copy of one that is there under another name, or a task. */
function insert({ document, pick, picks, fresh }: Maker): NamedEdit | null {
  const [list, holder] = pick((element) => LISTS.has(element.name)) ?? []
  if (list === undefined || !holder) return null
  const isTasks = holder.name === 'tasks'
  // An equal one under another name would count as a rename when this one is removed.
  const model = childElements(holder).findLast(({ name, attributes }) => {
    return isTasks || (attributes.has('name') && !attributes.has(OWN[name] ?? ''))
  })
  if (!model) return null
  const added: Inserted = isTasks
    ? newElement('exec', { command: fresh })
    : { kind: 'verbatim', name: model.name, text: renamedCopy(document, model, fresh) }
  const isLast = picks.below(2) === 0
  const [behind] = isLast ? [] : (picks.of(childNames(list, holder)) ?? [])
  const own = isTasks ? `order:${list}` : `${list}/${model.name} ${fresh}`
  return named(`add ${fresh} to ${list}`, [own], (find) => {
    const parent = find(list)
    const sibling = behind === undefined ? undefined : find(behind)
    if (!parent || (behind !== undefined && sibling?.parent !== parent)) return null
    const place: InsertionPlace = sibling ? { kind: 'after', sibling } : { kind: 'last' }
    return [{ kind: 'insert', parent, element: added, place }]
  })
}

function renamedCopy(
  { text }: XmlDocument,
  { name, span, attributes }: XmlElement,
  to: string,
): string {
  const at = attributes.get('name')?.valueSpan ?? span
  const own = OWN[name] === undefined ? '' : ` ${OWN[name]}="${to}"`
  const end = at.end + 1
  return `${text.slice(span.start, at.start)}${to}${text.slice(at.end, end)}${own}${text.slice(end, span.end)}`
}

function childNames(list: string, holder: XmlElement): [string, XmlElement][] {
  const isGroup = holder.name === 'pipelines' && holder.parent?.parent === null
  return childElements(holder).map((child) => [`${isGroup ? '' : list}/${ownName(child)}`, child])
}

function move({ pick, picks }: Maker): NamedEdit | null {
  const [list, holder] =
    pick((element) => LISTS.has(element.name) && childElements(element).length > 1) ?? []
  if (list === undefined || !holder) return null
  const [name] = picks.of(childNames(list, holder)) ?? []
  const [behind] = picks.of(childNames(list, holder)) ?? []
  if (name === undefined || behind === undefined || name === behind) return null
  return moved(`move ${name} behind ${behind}`, { name, behind, list })
}

function moved(
  words: string,
  { name, behind, list }: { readonly name: string; readonly behind: string; readonly list: string },
): NamedEdit {
  return named(words, [`place:${name}`, `order:${list}`], (find, text) => {
    const [element, sibling] = [find(name), find(behind)]
    const parent = sibling?.parent
    if (!element || !sibling || !parent || element === sibling) return null
    const { start, end } = element.span
    const copy: Inserted = { kind: 'verbatim', name: element.name, text: text.slice(start, end) }
    return [
      { kind: 'remove', element, emptied: 'close' },
      { kind: 'insert', parent, element: copy, place: { kind: 'after', sibling } },
    ]
  })
}

/** The last member of a list becomes the first, one after the other. */
function turn({ pick }: Maker): NamedEdit | null {
  const [list, holder] =
    pick(
      (element) =>
        LISTS.has(element.name) && element.name !== 'tasks' && childElements(element).length > 2,
    ) ?? []
  if (list === undefined || !holder) return null
  const members = childNames(list, holder).map(([name]) => name)
  const parts = [`order:${list}`, ...members.map((name) => `place:${name}`)]
  return named(`turn ${list}`, parts, (find, text) => {
    const elements = members.map(find)
    if (elements.some((element) => element?.parent !== find(list))) return null
    const standing = elements.flatMap((element) => element ?? [])
    return standing.flatMap((element, n) => {
      const { span, name } = standing.at(-1 - n) ?? element
      const by: Inserted = { kind: 'verbatim', name, text: text.slice(span.start, span.end) }
      return [{ kind: 'replace', element, by }]
    })
  })
}

function moveToGroup({ document, pick, picks }: Maker): NamedEdit | null {
  const isPipeline = ({ name, parent }: XmlElement) =>
    name === 'pipeline' && parent?.name === 'pipelines' && parent.parent === document.root
  const [name, element] = pick(isPipeline) ?? []
  const groups = childElements(document.root).filter((group) => group.name === 'pipelines')
  const other = picks.of(groups.filter((group) => group !== element?.parent))
  const [behind] = other
    ? (picks.of(childNames('', other).filter(([, each]) => isPipeline(each))) ?? [])
    : []
  if (name === undefined || behind === undefined) return null
  return moved(`move ${name} to the group of ${behind}`, { name, behind, list: '' })
}

function rename({ document, pick, fresh }: Maker): NamedEdit | null {
  const [name, found] =
    pick(({ name: tag, parent }) => tag === 'pipeline' && parent?.parent === document.root) ?? []
  const from = found?.attributeValue('name')?.toLowerCase()
  if (name === undefined || from === undefined || found?.parent?.name !== 'pipelines') return null
  const edit = named(`rename ${name}`, [`${name}@name`], (find) => {
    const element = find(name)
    return element ? [{ kind: 'set-attribute', element, name: 'name', value: fresh }] : null
  })
  return { ...edit, renamed: [from, fresh] }
}

function comment({ pick, fresh }: Maker): NamedEdit | null {
  const [name] = pick(({ parent, name: tag }) => parent !== null && tag !== 'arg') ?? []
  if (name === undefined) return null
  return {
    words: `comment on ${name}`,
    parts: [`note:${name}`],
    renamed: null,
    apply: (text, renames) => {
      const element = namesOf(rememberedDocument(text)).get(renamedTo(name, renames))
      if (!element) return null
      const { start } = element.span
      const lead = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))?.[0] ?? ''
      return `${text.slice(0, start)}<!-- ${fresh} -->${lead}${text.slice(start)}`
    },
  }
}
