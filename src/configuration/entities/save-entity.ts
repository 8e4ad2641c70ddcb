import { type Digest, digestOf } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import {
  type EntityPlace,
  entityText,
  findEntity,
  putSplices,
  removalSplices,
  sentEntity,
  type SentEntity,
} from '../../document/edit/entity-edits.ts'
import { applySplices } from '../../document/edit/splice.ts'
import type { EntityElement } from '../../document/entities/entities.ts'
import { isBefore } from '../../document/text/line-index.ts'
import { readXml, type XmlDocument } from '../../document/xml/xml-reader.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { type Access, assertMay } from '../access/permission.ts'
import { assertMayChange } from '../gate/refusal.ts'
import type { ConfigEditor } from '../save/config-editor.ts'
import type { SavedChange } from '../save/save-group.ts'
import { assertAdministers } from './entity-access.ts'
import { assertKind, type EntityReadingDeps, entityMissing, readRevision } from './read-entity.ts'

export interface EntitySavingDeps extends EntityReadingDeps {
  readonly access: Access
  readonly editor: ConfigEditor
}

/** The state of an entity that its change begins from: one of some texts, any, or that there is none. */
export type EntityBase = readonly Digest[] | 'any' | 'none'

interface EntityChange {
  readonly place: EntityPlace
  readonly base: EntityBase
  /** The reason in the words of the caller; may be empty. */
  readonly message: string
}

export interface EntityPut extends EntityChange {
  readonly xml: Uint8Array<ArrayBuffer>
  /** The group of a new pipeline; null where none is named. */
  readonly group: string | null
}

/** The outcome of a put, with the digest of the entity as it was saved: its secrets are sealed. */
export interface SavedEntity extends SavedChange {
  readonly digest: Digest
}

/**
 * Replaces an entity by a text, or adds it. Nothing else of the document changes, and changes of other
 * entities since the base do not matter.
 *
 * @throws {ServiceError} `malformed-request`, `entity-not-found` for a group that is not there,
 * `config-stale` when the entity is no longer as at the base, `config-invalid` with places in the text,
 * `not-permitted`.
 */
export async function saveEntity(
  deps: EntitySavingDeps,
  principal: Principal,
  { place, base, message, xml, group }: EntityPut,
): Promise<SavedEntity> {
  const { access, editor } = deps
  assertKind(place.kind)
  assertMayChange(() => assertMay(access, principal, { action: 'administer-something' }))
  const reading = await runCooperatively(readXml(xml))
  if (!reading.ok) throw invalid(reading.problems)
  const sent = sentEntity(reading, place)
  let edited = nothing
  const edit = (document: XmlDocument) => {
    const standing = findEntity(document.root, place)
    assertOwn(access, principal, { place, part: standing ?? groupOfNew(document, place, group) })
    assertBase(document, standing, { place, base })
    const splices = putSplices(document, sent, group)
    edited = () => applySplices(document.text, splices)
    return splices
  }
  try {
    const saved = await editor.edit({ door: 'entity', principal }, edit, { message })
    return { ...saved, digest: await savedDigest(deps, saved, place) }
  } catch (error) {
    const isInvalid = error instanceof ServiceError && error.code === 'config-invalid'
    const text = isInvalid ? edited() : ''
    if (!isInvalid || text === '' || !('problems' in error.facts)) throw error
    const { lines } = reading
    throw invalid(await placedInSent(error.facts.problems, { edited: text, sent, lines }))
  }
}

/** The text of an edit that was not made. */
function nothing(): string {
  return ''
}

/** The digest of an entity in a revision that was just made, whose document is in memory as a rule. */
async function savedDigest(
  deps: EntitySavingDeps,
  { revision }: SavedChange,
  place: EntityPlace,
): Promise<Digest> {
  const document = deps.editor.findRead(revision) ?? (await readRevision(deps, revision))
  const entity = findEntity(document.root, place)
  if (entity === null) throw entityMissing(place, revision.commit)
  return digestOf(Buffer.from(entityText(document, entity)))
}

/**
 * Removes an entity with the lines that it has for itself.
 *
 * @throws {ServiceError} `entity-not-found`, `config-stale`, `config-invalid` where others need it,
 * `not-permitted`.
 */
export async function deleteEntity(
  { access, editor }: EntitySavingDeps,
  principal: Principal,
  { place, base, message }: EntityChange,
): Promise<SavedChange> {
  assertKind(place.kind)
  assertMayChange(() => assertMay(access, principal, { action: 'administer-something' }))
  const edit = (document: XmlDocument) => {
    const entity = findEntity(document.root, place)
    assertOwn(access, principal, { place, part: entity })
    if (entity === null) throw entityMissing(place, null)
    assertBase(document, entity, { place, base })
    return removalSplices(document, entity)
  }
  return editor.edit({ door: 'entity', principal }, edit, { message })
}

/**
 * Asserts that a caller administers the part of the document that a change of an entity is in, before anything
 * of it is shown.
 *
 * @throws {ServiceError} `not-permitted`, with what the change needs.
 */
function assertOwn(
  access: Access,
  principal: Principal,
  { place, part }: { readonly place: EntityPlace; readonly part: EntityElement | null },
): void {
  assertMayChange(() => assertAdministers(access, principal, part), `${place.kind}/${place.name}`)
}

/** The group that a new pipeline goes into; null for every other new entity. */
function groupOfNew(
  { root }: XmlDocument,
  { kind }: EntityPlace,
  group: string | null,
): EntityElement | null {
  return kind === 'pipeline' && group !== null
    ? findEntity(root, { kind: 'group', name: group })
    : null
}

/** Whether an entity is still as at the base of a change. */
export function isAtBase(
  document: XmlDocument,
  { place, base }: Pick<EntityChange, 'place' | 'base'>,
): boolean {
  return isAsAtBase(document, findEntity(document.root, place), base)
}

function isAsAtBase(
  document: XmlDocument,
  entity: EntityElement | null,
  base: EntityBase,
): boolean {
  if (entity === null || base === 'none') return entity === null && base === 'none'
  return base === 'any' || base.includes(digestOf(Buffer.from(entityText(document, entity))))
}

/** @throws {ServiceError} `config-stale`, with the text of the entity as it is now. */
function assertBase(
  document: XmlDocument,
  entity: EntityElement | null,
  { place, base }: Pick<EntityChange, 'place' | 'base'>,
): void {
  if (isAsAtBase(document, entity, base)) return
  const name = `${place.kind} ${place.name}`.trimEnd()
  if (entity === null) throw stale(`The configuration has no ${name}`, 'none', [])
  const text = entityText(document, entity)
  const digest = digestOf(Buffer.from(text))
  const { line } = document.lines.positionOf(entity.element.span.start)
  const theirs = { path: 'theirs', line, message: text }
  if (base === 'none') throw stale(`The configuration has a ${name} already`, digest, [theirs])
  throw stale(`The ${name} has changed since; it is ${digest} now`, digest, [theirs])
}

function stale(message: string, current: string, problems: readonly Problem[]): ServiceError {
  return new ServiceError('config-stale', message, { current, problems })
}

function invalid(problems: readonly Problem[]): ServiceError {
  const message = problems[0]?.message ?? 'The configuration would not be valid'
  return new ServiceError('config-invalid', message, { problems })
}

interface Edited {
  readonly edited: string
  readonly sent: SentEntity
  /** The lines of the text that was sent. */
  readonly lines: XmlDocument['lines']
}

/**
 * Problems of the edited document with their places in the text that was sent. Those of other parts
 * have none: the caller has no text in which to look.
 */
export async function placedInSent(
  problems: readonly Problem[],
  { edited, sent, lines }: Edited,
): Promise<readonly Problem[]> {
  const reading = await runCooperatively(readXml(Buffer.from(edited)))
  const place = { kind: sent.kind.prefix, name: sent.name }
  const entity = reading.ok ? findEntity(reading.root, place) : null
  if (!reading.ok || entity === null) return problems
  const { start, end } = entity.element.span
  const [first, last] = [reading.lines.positionOf(start), reading.lines.positionOf(end)]
  const from = lines.positionOf(sent.element.span.start)
  return problems.map(({ line, column = 1, ...problem }) => {
    if (line === undefined) return problem
    const at = { line, column }
    if (isBefore(at, first) || !isBefore(at, last)) return problem
    const shift = line === first.line ? from.column - first.column : 0
    return { ...problem, line: line - first.line + from.line, column: column + shift }
  })
}
