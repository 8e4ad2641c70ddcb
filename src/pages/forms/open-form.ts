import { entityMissing, readRevision } from '../../configuration/entities/read-entity.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { entityText, findEntity, insertEntity } from '../../document/edit/entity-edits.ts'
import { kindOfPrefix } from '../../document/entities/entities.ts'
import { applyForm, newElementOf } from '../../document/form/form-edits.ts'
import { elementOfNew, formOf, hasForm, type FormShape } from '../../document/form/form-shape.ts'
import {
  type FormValues,
  itemsOf,
  readValues,
  sectionElement,
} from '../../document/form/form-values.ts'
import { readXml, type XmlDocument } from '../../document/xml/xml-reader.ts'
import type { XmlElement } from '../../document/xml/xml-tree.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import {
  assertMayEdit,
  type EditDraft,
  type EditingDeps,
  notInHistory,
} from '../edit/edit-draft.ts'
import { maySeeEntityAt } from '../entity/entity-comparison.ts'
import { mayOnlyPropose } from '../entity/entity-history.ts'
import type { EntityStepsDeps } from '../entity/entity-steps.ts'
import type { VisibleStepsDeps } from '../entity/visible-steps.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { EntityName, findSpan } from '../work/edit-scope.ts'

/** The form of an entity, with the revision that it began from. */
export interface OpenForm {
  readonly kind: string
  /** Empty for a new entity. */
  readonly name: string
  readonly base: Revision
  readonly document: XmlDocument
  /** Null for a new entity. */
  readonly element: XmlElement | null
  readonly shape: FormShape
  readonly before: FormValues
  /** Of its text; null for a new entity. */
  readonly digest: Digest | null
  /** Whether the caller may propose what it makes, and not save it. */
  readonly isForOthers: boolean
}

export type FormDeps = EditingDeps & EntityStepsDeps & VisibleStepsDeps

interface FormRequest {
  readonly kind: string
  /** Null for a new entity. */
  readonly name: string | null
  /** The state that the form began from; the current one when null. */
  readonly from: FormBase | null
}

/** The entity that a form began from, and the document that had it then. */
export interface FormBase {
  /** Null for a new entity. */
  readonly entity: Digest | null
  readonly document: Digest
}

/**
 * Opens the form of an entity. As long as the entity is as it was when the form began, whatever else was saved
 * since, the form is one of the current document; of the one it began from otherwise. A new entity, and one that is neither in a group nor a template of the
 * caller's, is for administrators of the server; a pipeline is open to its viewers too, who may propose what the form makes.
 *
 * @throws {ServiceError} `entity-not-found` for what has no form, `config-stale` for a base that was never in
 * the history, `not-permitted`.
 */
export async function openForm(
  deps: FormDeps,
  principal: Principal,
  { kind, name, from }: FormRequest,
): Promise<OpenForm> {
  const { history } = deps
  const entity = name === null ? null : entityNamed(kind, name)
  const isForOthers = entity !== null && mayOnlyPropose(deps, principal, entity)
  if (!isForOthers) await assertMayEdit(deps, principal, { entity, revisions: [] })
  const now = await placeIn(deps, history.current(), { kind, name })
  const isAsItWas = from === null || now.digest === from.entity
  const { base, document, found, digest } = isAsItWas
    ? now
    : await placeIn(deps, await revisionOf(history, from.document), { kind, name })
  if (!isForOthers) await assertMayEdit(deps, principal, { entity, revisions: [base] })
  else if (!isAsItWas) await assertMaySeeAt(deps, principal, { ...entity, base })
  const element = found?.element ?? null
  if (name !== null && element === null) throw entityMissing({ kind, name }, null)
  const shape = formOf(document.root, kind, element?.name)
  if (shape === null || (name === null && kind === 'pipeline')) throw withoutForm(kind, name)
  const before = readValues(shape, element)
  const began = { base, document, element, shape, before, digest }
  return { kind, name: found?.name ?? '', ...began, isForOthers }
}

/**
 * Asserts that a caller may see an entity as it was in a revision that a form says it began from.
 *
 * @throws {ServiceError} `config-stale`, as for a revision that never was.
 */
async function assertMaySeeAt(
  deps: FormDeps,
  principal: Principal,
  { kind, name, base }: EntityName & { readonly base: Revision },
): Promise<void> {
  const { history } = deps
  const asked = { address: entityAddress(kind, name), revision: numbered(history, base) }
  if (!(await maySeeEntityAt(deps, principal, asked))) throw notInHistory(history.current())
}

/** An entity in a revision. */
async function placeIn(
  deps: EditingDeps,
  base: Revision,
  { kind, name }: Pick<FormRequest, 'kind' | 'name'>,
) {
  const document = await readRevision(deps, base)
  const found = name === null ? null : findEntity(document.root, { kind, name })
  const digest = found && digestOf(Buffer.from(entityText(document, found)))
  return { base, document, found, digest }
}

/** @throws {ServiceError} `config-stale` for a document that was never in the history. */
async function revisionOf(history: EditingDeps['history'], document: Digest): Promise<Revision> {
  const revision = await history.findEver(document)
  if (revision) return revision
  throw notInHistory(history.current())
}

function entityNamed(kind: string, name: string): EntityName {
  const read = EntityName.safeParse({ kind, name })
  if (read.success && hasForm(kind)) return read.data
  throw withoutForm(kind, name)
}

function withoutForm(kind: string, name: string | null): ServiceError {
  const message = `There is no form for ${name === null ? 'a new' : 'the'} ${kind} ${name ?? ''}`
  return new ServiceError('entity-not-found', message.trimEnd(), { kind, name: name ?? '' })
}

/** The name that an entity has by its form. */
export function formName({ kind }: Pick<OpenForm, 'kind'>, { fields }: FormValues): string {
  return fields.get(kind === 'group' ? 'group' : 'name') ?? ''
}

/** The whole document with the values of a form, and the draft that the editor would have of it. */
export interface ComposedForm {
  readonly text: string
  readonly draft: EditDraft
}

/** @throws {ServiceError} `malformed-request` for a value that XML cannot hold. */
export function composeForm(open: OpenForm, values: FormValues): ComposedForm {
  const { document, shape, element, kind, base } = open
  const basedOn = base.digest
  if (element === null) {
    const made = newElementOf(elementOfNew(kind), shape, values)
    const definition = kindOfPrefix(kind)
    if (definition === null) throw withoutForm(kind, null)
    const text = insertEntity(document, { kind: definition, element: made }, null)
    return { text, draft: { typed: text, basedOn, entity: null } }
  }
  const entity = entityNamed(kind, open.name)
  const text = applyForm(document, { shape, element }, values)
  const span = findSpan(document, entity) ?? element.span
  const typed = text.slice(span.start, span.end + text.length - document.text.length)
  return { text, draft: { typed, basedOn, entity } }
}

/**
 * The row of a form that a line of its document is in, such as `stage.0.jobs.1`; empty for the entity as a
 * whole, null for a line of another part of the document.
 */
export async function rowOfLine(
  open: OpenForm,
  { text, line }: { readonly text: string; readonly line: number | undefined },
  name: string,
): Promise<string | null> {
  const reading = await runCooperatively(readXml(Buffer.from(text)))
  const entity = reading.ok ? findEntity(reading.root, { kind: open.kind, name }) : null
  if (!reading.ok || entity === null || line === undefined) return null
  const isIn = ({ span }: XmlElement) =>
    reading.lines.positionOf(span.start).line <= line &&
    line <= reading.lines.positionOf(span.end).line
  return isIn(entity.element) ? rowIn(open.shape, entity.element, isIn) : null
}

function rowIn(
  shape: FormShape,
  element: XmlElement,
  isIn: (element: XmlElement) => boolean,
): string {
  for (const part of shape.parts) {
    const section = part.kind === 'section' ? sectionElement(element, part.name) : null
    if (part.kind === 'section' && section !== null && isIn(section)) {
      return below(part.name, rowIn(part.shape, section, isIn))
    }
    const items = part.kind === 'list' ? itemsOf(element, part) : []
    const n = items.findIndex(({ item }) => isIn(item))
    const found = items[n]
    if (found) return below(`${part.name}.${n}`, rowIn(found.row.shape, found.item, isIn))
  }
  return ''
}

function below(above: string, path: string): string {
  return path === '' ? above : `${above}.${path}`
}
