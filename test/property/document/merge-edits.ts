import { contentOf } from '../../../src/document/compare/content.ts'
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
  /** The new names that it gives. */
  readonly renamed: readonly Renamed[]
  /** The text with the edit; null where the thing is not there. */
  readonly apply: (text: string, renames: readonly Renamed[]) => string | null
}

/** A thing that got another name: its name in the base, and its new name with that in front which it had in the base. */
export interface Renamed {
  readonly from: string
  readonly to: string
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
  const naming = NAMING.find((attribute) => element.attributes.has(attribute))
  if (BY_TEXT.has(name) && naming === undefined)
    return `${name} ${elementText(element).trim().toLowerCase()}`
  return naming === undefined ? name : `${name} ${element.attributeValue(naming)?.toLowerCase()}`
}

/** The name of a thing of the base after renames, of what is inside others first. */
export function renamedTo(name: string, renames: readonly Renamed[]): string {
  const inward = renames.toSorted((one, other) => other.from.length - one.from.length)
  return inward.reduce((found, { from, to }) => withStart(found, from, to), name)
}

/** The name that a thing had before renames. */
export function formerName(name: string, renames: readonly Renamed[]): string {
  const outward = renames.toSorted((one, other) => one.from.length - other.from.length)
  return outward.reduce((found, { from, to }) => withStart(found, to, from), name)
}

function withStart(name: string, start: string, by: string): string {
  return name === start || name.startsWith(`${start}/`) ? `${by}${name.slice(start.length)}` : name
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
  const make =
    picks.of([...makers, turn, moveToGroup, rename, rename, refer, comment]) ?? setAttribute
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
    renamed: [],
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

/** The attribute with the name of each thing that may get another one. */
const NAMES: Readonly<Record<string, string>> = {
  'cruise/pipelines': 'group',
  'pipelines/pipeline': 'name',
  'templates/pipeline': 'name',
  'environments/environment': 'name',
  'roles/role': 'name',
  'pipeline/stage': 'name',
  'jobs/job': 'name',
}
/** The attributes that refer to a thing of a kind; null for elements with its name as their text. */
const REFERRING: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'pipelines/pipeline': { pipeline: 'pipelineName', fetchartifact: 'pipeline', member: 'name' },
  'templates/pipeline': { pipeline: 'template' },
  'roles/role': { role: null },
}

function placeOf({ name, parent }: XmlElement): string {
  return `${parent?.name ?? ''}/${name}`
}

function isMember({ name, parent }: XmlElement): boolean {
  return name === 'pipeline' && parent?.parent?.name === 'environment'
}

function nameIn(element: XmlElement): string | undefined {
  if (isMember(element)) return undefined
  return element.attributeValue(NAMES[placeOf(element)] ?? '')?.toLowerCase()
}

/** Another name for a thing, as a rule with all that refers to it. */
function rename({ pick, picks, fresh, document }: Maker): NamedEdit | null {
  const kind = picks.of(Object.keys(NAMES))
  const [name, found] =
    pick((each) => placeOf(each) === kind && nameIn(each) !== undefined && !isMember(each)) ?? []
  if (name === undefined || found === undefined) return null
  const attribute = NAMES[kind ?? ''] ?? 'name'
  const isWhole = picks.below(4) > 0
  const edit = named(`rename ${name}`, [`${name}@${attribute}`], (find, text) => {
    const element = find(name)
    if (!element) return null
    const referring = isWhole ? referencesIn(rememberedDocument(text), element) : []
    return [
      { kind: 'set-attribute', element, name: attribute, value: fresh },
      ...referring.map((each) => spelled(each, fresh)),
    ]
  })
  const others = isWhole ? referencesIn(document, found).map(({ element }) => element) : []
  const given = [found, ...others].flatMap((element) => renamedAs(document, element, fresh))
  return { ...edit, renamed: given }
}

interface Referring {
  readonly element: XmlElement
  readonly attribute: string | null
}

function spelled({ element, attribute }: Referring, value: string): XmlEdit {
  return attribute === null
    ? { kind: 'set-text', element, text: value }
    : { kind: 'set-attribute', element, name: attribute, value }
}

function referencesIn({ root }: XmlDocument, target: XmlElement): readonly Referring[] {
  const [kinds, name] = [REFERRING[placeOf(target)] ?? {}, nameIn(target)]
  const walk = (element: XmlElement): Referring[] => {
    const attribute = kinds[isMember(element) ? 'member' : element.name]
    const value =
      attribute === undefined
        ? null
        : attribute === null
          ? elementText(element).trim()
          : element.attributeValue(attribute)
    const own = value?.toLowerCase() === name && element !== target
    const found = own && attribute !== undefined ? [{ element, attribute }] : []
    return [...found, ...childElements(element).flatMap(walk)]
  }
  return name === undefined ? [] : walk(root)
}

/** The names of a thing, or of what refers to it by name, before and after a rename. */
function renamedAs(document: XmlDocument, element: XmlElement, fresh: string): Renamed[] {
  const [from] = [...namesOf(document)].find(([, each]) => each === element) ?? []
  const own = ownName(element)
  if (from === undefined || own.startsWith('task ')) return []
  return [{ from, to: `${from.slice(0, from.length - own.length)}${element.name} ${fresh}` }]
}

/** One more reference to a thing, in a list that has none to it. */
function refer({ pick, picks }: Maker): NamedEdit | null {
  const lists: Readonly<Record<string, readonly [string, string]>> = {
    'environment/pipelines': ['pipelines/pipeline', 'name'],
    'pipeline/materials': ['pipelines/pipeline', 'pipelineName'],
    'authorization/view': ['roles/role', ''],
  }
  const place = picks.of(Object.keys(lists)) ?? ''
  const [kind = '', attribute = ''] = lists[place] ?? []
  const [list] = pick((each) => placeOf(each) === place) ?? []
  const [target, found] = pick((each) => placeOf(each) === kind && nameIn(each) !== undefined) ?? []
  if (list === undefined || target === undefined || !found) return null
  const own = `${list}/${found.name} ${nameIn(found)}`
  return named(`refer to ${target} in ${list}`, [own], (find) => {
    const [parent, to] = [find(list), find(target)]
    const value = to && (to.attributeValue('name') ?? '')
    if (!parent || value === undefined || find(own) !== undefined) return null
    const element: Inserted =
      attribute === ''
        ? { kind: 'verbatim', name: 'role', text: `<role>${value}</role>` }
        : newElement('pipeline', { [attribute]: value })
    return [{ kind: 'insert', parent, element, place: { kind: 'last' } }]
  })
}

function comment({ pick, fresh }: Maker): NamedEdit | null {
  const [name] = pick(({ parent, name: tag }) => parent !== null && tag !== 'arg') ?? []
  if (name === undefined) return null
  return {
    words: `comment on ${name}`,
    parts: [`note:${name}`],
    renamed: [],
    apply: (text, renames) => {
      const element = namesOf(rememberedDocument(text)).get(renamedTo(name, renames))
      if (!element) return null
      const { start } = element.span
      const lead = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))?.[0] ?? ''
      return `${text.slice(0, start)}<!-- ${fresh} -->${lead}${text.slice(start)}`
    },
  }
}
