import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { EntityRenames } from '../../document/compare/compare-entities.ts'
import { restoreSubject } from '../../core/restore-subject.ts'
import { type NumberedRevision, revisionNamed, numbered } from '../revisions/numbered-revision.ts'
import {
  blocked,
  type RestoreDeps,
  type RestoreGround,
  type RestoreResult,
  type RestoreScope,
  isObstacle,
  type Obstacle,
} from './restore-scope.ts'
import { maySeeEntityAt, nameAt } from '../entity/entity-comparison.ts'
import { mayOnlyPropose } from '../entity/entity-history.ts'
import { type EntityAddress, entityNotFound } from '../revisions/entity-address.ts'
import { knownLabel, entityWords } from '../revisions/entity-words.ts'
import { entitySteps } from '../entity/entity-steps.ts'
import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { SavedChange } from '../../configuration/save/save-group.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { assertMayChange } from '../../configuration/gate/refusal.ts'
import { assertAdministers } from '../../configuration/entities/entity-access.ts'
import { readRevision } from '../../configuration/entities/read-entity.ts'
import {
  DOCUMENT_LABEL,
  findNamedEntity,
  foldEntity,
  splitEntity,
} from '../../document/entities/entities.ts'
import { makeCurrent } from '../../configuration/save/config-restoring.ts'
import type { EntityNames } from '../../document/edit/restore-entity.ts'
import type { ContestedPart, UndoRequest } from '../work/undo-work.ts'

/** The effect of a restore on the current document. */
export interface RestorePlan extends RestoreGround {
  readonly scope: RestoreScope
  /** The subject of its commit. */
  readonly subject: string
  /** The resulting document, or the obstacle. */
  readonly result: RestoreResult
  /** Whether the caller may propose it, and not save it. */
  readonly isForOthers: boolean
}

/**
 * Plans a restore from the revision that an address names.
 *
 * @throws {ServiceError} `revision-not-found`, `entity-not-found`, `not-permitted`; `unavailable`
 * while the changes of the revisions are not indexed.
 */
export async function planRestore(
  deps: RestoreDeps,
  principal: Principal,
  { name, scope }: { readonly name: string; readonly scope: RestoreScope },
): Promise<RestorePlan> {
  const address = scope.kind === 'revision' ? null : scope.address
  const isForOthers = address !== null && mayOnlyPropose(deps, principal, address)
  if (!isForOthers) assertMay(deps.access, principal, { action: 'administer-something' })
  const revision = revisionNamed(deps.history, name)
  const current = revisionNamed(deps.history, 'current')
  const ground = { revision, current, before: await deps.history.readDocument(current) }
  switch (scope.kind) {
    case 'revision': {
      const result = await deps.history.readDocument(revision)
      const subject = restoreSubject({ verb: 'Restore', what: null, ...revision })
      return { ...ground, scope, subject, result, isForOthers }
    }
    case 'entity': {
      const result = await planEntity(deps, principal, { ground, address: scope.address })
      const what = wordsOf(deps, scope.address)
      const subject = restoreSubject({ verb: 'Restore', what, ...revision })
      return { ...ground, scope, subject, result, isForOthers }
    }
    case 'change': {
      const { isRest } = scope
      const only = address && (await namesAround(deps, principal, { ground, address }))
      if (only === null) await assertOwnRevision(deps, principal, ground)
      const parts = [isRest ? 'the rest' : [], address ? wordsOf(deps, address) : []].flat()
      const what = parts.length === 0 ? null : parts.join(' of ')
      const subject = restoreSubject({ verb: 'Undo', what, ...revision })
      const result = await planUndoing(deps, ground, { isRest, only })
      return { ...ground, scope, subject, result, isForOthers }
    }
  }
}

function wordsOf(deps: RestoreDeps, { kind, name }: EntityAddress): string {
  return entityWords(deps, `${kind}/${name}`)
}

/**
 * The names of an entity after a revision and before it, for those who may undo what that has changed of it.
 *
 * @throws {ServiceError} `not-permitted`.
 */
async function namesAround(
  deps: RestoreDeps,
  principal: Principal,
  { ground, address }: { readonly ground: RestoreGround; readonly address: EntityAddress },
): Promise<EntityNames> {
  const steps = await entitySteps(deps, address)
  const nameIn = (at: NumberedRevision) => nameAt(steps, at)?.entity ?? address.entity
  const { revision } = ground
  const previous = deps.history.previousOf(revision)
  const before = previous && numbered(deps.history, previous)
  const now = nameIn(revision)
  const past = before === null ? now : nameIn(before)
  const own = { ground, address, mayBeAbsent: true }
  await assertOwnEntity(deps, principal, { ...own, names: { now: address.entity, past: now } })
  if (before !== null) {
    const then = { ...own, ground: { ...ground, revision: before } }
    await assertOwnEntity(deps, principal, { ...then, names: { now: address.entity, past } })
  }
  return { now, past }
}

/**
 * Undoing a revision tells what it changed, and what of it was changed again.
 *
 * @throws {ServiceError} `not-permitted` for those who do not administer all of that.
 */
async function assertOwnRevision(
  { gate, history }: RestoreDeps,
  principal: Principal,
  { revision, before: current }: RestoreGround,
): Promise<void> {
  const previous = history.previousOf(revision)
  const after = await history.readDocument(revision)
  const before = previous === null ? new Uint8Array() : await history.readDocument(previous)
  await gate.assertOwn(principal, { current, before, after })
}

interface OwnEntity {
  readonly ground: RestoreGround
  readonly address: EntityAddress
  readonly names: EntityNames
  /** Whether a revision may be without it, which an undo makes or removes. */
  readonly mayBeAbsent: boolean
}

/**
 * Asserts that a caller administers an entity now, and under its name in a revision. Who may propose a change of it
 * has to see it as it was then.
 */
async function assertOwnEntity(
  deps: RestoreDeps,
  principal: Principal,
  { ground, address, names, mayBeAbsent }: OwnEntity,
): Promise<void> {
  const { access } = deps
  if (access.may(principal, { action: 'administer' })) return
  const [now, past] = [
    findNamedEntity((await readRevision(deps, ground.current)).root, names.now),
    findNamedEntity((await readRevision(deps, ground.revision)).root, names.past),
  ]
  const isAbsent = past === null && mayBeAbsent
  if (mayOnlyPropose(deps, principal, address)) {
    const asked = { address, revision: ground.revision }
    if (isAbsent || (await maySeeEntityAt(deps, principal, asked))) return
    throw entityNotFound(address)
  }
  assertMayChange(() => {
    assertAdministers(access, principal, now ?? past)
    if (!isAbsent) assertAdministers(access, principal, past)
  }, names.now)
}

/**
 * The current document with one entity replaced by its text in a revision, under its name at that
 * time.
 */
async function planEntity(
  deps: RestoreDeps,
  principal: Principal,
  { ground, address }: { readonly ground: RestoreGround; readonly address: EntityAddress },
): Promise<RestoreResult> {
  const { revision, before } = ground
  const { kind, name, entity, stage } = address
  const steps = await entitySteps(deps, address)
  const past = nameAt(steps, revision)?.entity ?? entity
  const names = { now: entity, past }
  await assertOwnEntity(deps, principal, { ground, address, names, mayBeAbsent: false })
  const absent = `r${revision.number} has no ${entityWords(deps, `${kind}/${name}`)}`
  if (stage !== null) return blocked('A stage cannot be restored alone')
  const older = await deps.history.readDocument(revision)
  const restored = await deps.work.restoreEntity({ current: before, older, names })
  switch (restored.kind) {
    case 'restored':
      return restored.document
    case 'current-unreadable':
      return blocked('The current configuration is not readable XML')
    case 'older-unreadable':
      return blocked(`r${revision.number} is not readable XML, so no part of it can be restored`)
    case 'absent':
      return blocked(absent)
  }
}

/** A restore that nothing is in the way of. */
export interface ReadyRestore extends Pick<RestorePlan, 'current' | 'before' | 'subject'> {
  readonly document: Uint8Array<ArrayBuffer>
}

/**
 * Plans a restore that is to be saved or proposed.
 *
 * @throws {ServiceError} as `planRestore`; `config-stale` when an obstacle exists.
 */
export async function readyRestore(
  deps: RestoreDeps,
  principal: Principal,
  asked: { readonly name: string; readonly scope: RestoreScope },
): Promise<ReadyRestore> {
  const { current, before, result, subject } = await planRestore(deps, principal, asked)
  if (!isObstacle(result)) return { current, before, subject, document: result }
  const facts = { current: current.digest, problems: [] }
  throw new ServiceError('config-stale', result.reason, facts)
}

interface RestoreOrder {
  readonly name: string
  readonly scope: RestoreScope
  readonly reason: string
  /** The configuration that the preview was based on. */
  readonly basedOn: Digest
}

/**
 * Carries out a restore as a new revision by the caller, based on the configuration of its preview.
 *
 * @throws {ServiceError} as `planRestore`; `config-stale` when an obstacle exists,
 * `config-invalid`.
 */
export async function restoreNow(
  deps: RestoreDeps,
  principal: Principal,
  { name, scope, reason, basedOn }: RestoreOrder,
): Promise<SavedChange> {
  const { document, subject } = await readyRestore(deps, principal, { name, scope })
  const door = scope.kind === 'change' ? 'undo' : 'restore'
  return makeCurrent(deps.writer, principal, { door, document, basedOn, subject, reason })
}

/** The current document without the changes of one revision, or without those that nobody has changed since. */
async function planUndoing(
  deps: RestoreDeps,
  ground: RestoreGround,
  { isRest, only }: Pick<UndoRequest, 'only'> & { readonly isRest: boolean },
): Promise<RestoreResult> {
  const { history } = deps
  const { revision, current, before: theirs } = ground
  const name = `r${revision.number}`
  const previous = history.previousOf(revision)
  if (previous === null)
    return blocked(`${name} is the first revision, so there is nothing to go back to`)
  const ours = await history.readDocument(previous)
  const base = await history.readDocument(revision)
  if (revision.digest === current.digest && only === null) return ours
  await deps.entities.settle()
  const { entities } = deps
  const made = entities.renamesBetween(previous, revision)
  const renames = {
    ours: made.map(([former, later]) => [later, former] as const),
    theirs: entities.renamesBetween(revision, current),
  }
  const undoing = await deps.work.undoChange({ ours, base, theirs, renames, only })
  if (undoing.kind === 'unreadable')
    return blocked(`${name} cannot be undone: one of its documents is not readable XML`)
  const { contested, document } = undoing
  if (isRest || contested.length === 0) return document
  const hasRest = Buffer.compare(document, theirs) !== 0
  const told = contested.map((part) => ({ ...part, path: toldPath(deps, part) }))
  const older = await olderOf(deps, { previous, contested, made })
  return { ...changedAgain(deps, ground, contested), contested: told, older, hasRest }
}

/** The entities of parts that the revision before a change has, by their names after it. */
async function olderOf(
  deps: RestoreDeps,
  {
    previous,
    contested,
    made,
  }: {
    readonly previous: Revision
    readonly contested: readonly ContestedPart[]
    readonly made: EntityRenames
  },
): Promise<readonly string[]> {
  const { root } = await readRevision(deps, previous)
  const formerOf = new Map(made.map(([former, later]) => [foldEntity(later), former]))
  const entities = [...new Set(contested.flatMap(({ entity }) => entity ?? []))]
  return entities.filter(
    (entity) => findNamedEntity(root, formerOf.get(foldEntity(entity)) ?? entity) !== null,
  )
}

/** The path with the name that people know the entity by. */
function toldPath(deps: RestoreDeps, { path, entity }: ContestedPart): string {
  if (entity === null) return path
  return path.replace(`"${splitEntity(entity).name}"`, () => `"${knownLabel(deps, entity)}"`)
}

/** The revision that changed the same things later. */
function changedAgain(
  deps: RestoreDeps,
  { revision, current }: RestoreGround,
  contested: readonly ContestedPart[],
): Pick<Obstacle, 'reason' | 'revision'> {
  const { history, entities } = deps
  const touched = [...new Set(contested.map(({ entity }) => entity))]
  const found = entities.newestOf(touched.flatMap((entity) => entity ?? []).map(foldEntity))
  const newest = found && numbered(history, found)
  const by = newest !== null && newest.number > revision.number ? newest : current
  const and = touched.length > 1 ? ` and ${touched.length - 1} more` : ''
  const were = touched.length > 1 ? 'were' : 'was'
  const first = entityWords(deps, touched[0] ?? DOCUMENT_LABEL)
  const again = `the ${first}${and} ${were} changed again by ${by.who} in r${by.number}`
  const reason = `r${revision.number} cannot be undone automatically: ${again}`
  return { reason, revision: by }
}
