import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import { nameKey } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import { editSplices, elementRemoval } from '../../document/edit/apply-edits.ts'
import { findEntity } from '../../document/edit/entity-edits.ts'
import { applySplices, type Splice } from '../../document/edit/splice.ts'
import { type EntityElement, entityOf } from '../../document/entities/entities.ts'
import { CRUISE_CHILDREN } from '../../document/structure/child-order.ts'
import { positionOf } from '../../document/text/line-index.ts'
import { elementsAt } from '../../document/xml/xml-elements.ts'
import { readXml, type XmlDocument } from '../../document/xml/xml-reader.ts'
import type { XmlElement } from '../../document/xml/xml-tree.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { assertMay } from '../access/permission.ts'
import { assertMayChange } from '../gate/refusal.ts'
import { type ConfigSavingDeps, saveDocument } from '../save/config-saving.ts'
import type { SavedChange } from '../save/save-group.ts'
import { assertAdministers } from './entity-access.ts'
import { type EntityReadingDeps, type ReadEntity, readRevision } from './read-entity.ts'

/** The group by which the original names all templates. */
export const TEMPLATES_GROUP = 'Pipeline Templates'

/** A part of the document as the calls of the original name it; positions begin with 0. */
export type PartialPlace =
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'pipeline'; readonly group: string; readonly index: number }
  | (InPipeline & { readonly kind: 'stage'; readonly index: number })
  | (InPipeline & { readonly kind: 'job'; readonly stage: string; readonly index: number })

interface InPipeline {
  readonly pipeline: string
  /** The group that the pipeline has to be in; any when absent. */
  readonly within?: string | undefined
}

interface PartialEdit {
  readonly place: PartialPlace
  /** The element that comes in its place; blank to remove the templates. */
  readonly xml: string
  /** The digest that the edit is based on, in which positions are counted. */
  readonly basedOn: Digest
  readonly message: string
}

/**
 * The element at a place of the current configuration, byte for byte.
 *
 * @throws {ServiceError} `entity-not-found`, `not-permitted`.
 */
export async function readPartial(
  deps: EntityReadingDeps,
  principal: Principal,
  place: PartialPlace,
): Promise<ReadEntity> {
  const { access, history } = deps
  assertMay(access, principal, { action: 'administer-something' })
  const revision = history.current()
  const document = await readRevision(deps, revision)
  assertAdministers(access, principal, holderOf(document, place))
  const { start, end } = partOf(document, place).span
  return { revision, text: new Uint8Array(Buffer.from(document.source.slice(start, end))) }
}

/**
 * Saves the document that an edit began from with another element at a place, as a save of the whole document: a
 * stale edit is merged, and the gate decides.
 *
 * @throws {ServiceError} `entity-not-found`, and as a save of the whole document.
 */
export async function savePartial(
  deps: ConfigSavingDeps & EntityReadingDeps,
  principal: Principal,
  { place, xml, basedOn, message }: PartialEdit,
): Promise<SavedChange> {
  const { access, history } = deps
  assertMayChange(() => assertMay(access, principal, { action: 'administer-something' }))
  const base = await history.findEver(basedOn)
  if (base === null) {
    const reason = 'The edit began from a configuration that was never current'
    const facts = { current: history.current().digest, problems: [] }
    throw new ServiceError('config-stale', reason, facts)
  }
  const document = await readRevision(deps, base)
  assertMayChange(() => assertAdministers(access, principal, holderOf(document, place)))
  const splices = await splicesOf(document, place, xml)
  const edited = new Uint8Array(Buffer.from(applySplices(document.text, splices)))
  return saveDocument(deps, principal, { door: 'post', document: edited, basedOn, message })
}

/** The entity whose administrators may read and change the part; null for those of the server alone. */
function holderOf({ root }: XmlDocument, place: PartialPlace): EntityElement | null {
  return 'group' in place
    ? findEntity(root, { kind: 'group', name: place.group })
    : findEntity(root, { kind: 'pipeline', name: place.pipeline })
}

function areTemplates(place: PartialPlace): boolean {
  return place.kind === 'group' && place.group === TEMPLATES_GROUP
}

function partOf({ root }: XmlDocument, place: PartialPlace): XmlElement {
  if (areTemplates(place)) {
    return found(elementsAt(root, 'templates')[0], place, 'There are no templates.')
  }
  if ('group' in place) {
    const group = findEntity(root, { kind: 'group', name: place.group })?.element
    const element = found(group, place, `Group '${place.group}' not found.`)
    if (place.kind === 'group') return element
    return found(elementsAt(element, 'pipeline')[place.index], place, 'Pipeline does not exist.')
  }
  const pipeline = findEntity(root, { kind: 'pipeline', name: place.pipeline })?.element
  const group = pipeline?.parent && entityOf(pipeline.parent)?.name
  const isThere = place.within === undefined || place.within === group
  const missing = `Pipeline '${place.pipeline}' not found.`
  const stages = elementsAt(found(isThere ? pipeline : undefined, place, missing), 'stage')
  if (place.kind === 'stage') return found(stages[place.index], place, 'Stage does not exist.')
  const key = nameKey(place.stage)
  const stage = stages.find((each) => nameKey(each.attributeValue('name') ?? '') === key)
  const [jobs] = elementsAt(found(stage, place, `Stage '${place.stage}' not found.`), 'jobs')
  const job = jobs && elementsAt(jobs, 'job')[place.index]
  return found(job, place, 'Build does not exist.')
}

function found(
  element: XmlElement | undefined,
  place: PartialPlace,
  otherwise: string,
): XmlElement {
  if (element) return element
  const name = 'group' in place ? place.group : place.pipeline
  throw new ServiceError('entity-not-found', otherwise, { kind: place.kind, name })
}

/** The splices that bring an element to a place. A document without templates gets its first ones. */
async function splicesOf(
  document: XmlDocument,
  place: PartialPlace,
  xml: string,
): Promise<readonly Splice[]> {
  const [templates] = areTemplates(place) ? elementsAt(document.root, 'templates') : []
  if (areTemplates(place) && xml.trim() === '') {
    return templates ? [elementRemoval(document.text, templates)] : []
  }
  const part = areTemplates(place) ? templates : partOf(document, place)
  const sent = await readElement(xml, part?.name ?? 'templates')
  if (part) return [{ ...part.span, text: sent }]
  const element = { kind: 'verbatim', name: 'templates', text: sent } as const
  const order = { kind: 'order', names: CRUISE_CHILDREN } as const
  return editSplices(document, [{ kind: 'insert', parent: document.root, element, place: order }])
}

/** The text of the one element that a text is. */
async function readElement(xml: string, name: string): Promise<string> {
  const reading = await runCooperatively(readXml(new Uint8Array(Buffer.from(xml))))
  if (!reading.ok) {
    const { problems } = reading
    throw new ServiceError('config-invalid', problems[0]?.message ?? '', { problems })
  }
  const { root, text } = reading
  if (root.name !== name) {
    const message = `<${root.name}> cannot come in the place of <${name}>`
    const problem = { message, ...positionOf(text, root.span.start) }
    throw new ServiceError('config-invalid', message, { problems: [problem] })
  }
  return text.slice(root.span.start, root.span.end)
}
