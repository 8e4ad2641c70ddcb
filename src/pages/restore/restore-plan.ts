import type { Principal } from '../../core/principal.ts'
import { restoreSubject } from '../../core/restore-subject.ts'
import { revisionNamed, numbered } from '../revisions/numbered-revision.ts'
import {
  blocked,
  type RestoreDeps,
  type RestoreGround,
  type RestoreResult,
  type RestoreScope,
  isObstacle,
  type Obstacle,
} from './restore-scope.ts'
import { nameAt } from '../entity/entity-comparison.ts'
import type { EntityAddress } from '../revisions/entity-address.ts'
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
import type { ContestedPart } from '../work/undo-work.ts'

/** The effect of a restore on the current document. */
export interface RestorePlan extends RestoreGround {
  readonly scope: RestoreScope
  /** The subject of its commit. */
  readonly subject: string
  /** The resulting document, or the obstacle. */
  readonly result: RestoreResult
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
  assertMay(deps.access, principal, { action: 'administer-something' })
  const revision = revisionNamed(deps.history, name)
  const current = revisionNamed(deps.history, 'current')
  const ground = { revision, current, before: await deps.history.readDocument(current) }
  switch (scope.kind) {
    case 'revision': {
      const result = await deps.history.readDocument(revision)
      const subject = restoreSubject({ verb: 'Restore', what: null, ...revision })
      return { ...ground, scope, subject, result }
    }
    case 'entity': {
      const { kind, name: called } = scope.address
      const result = await planEntity(deps, principal, { ground, address: scope.address })
      const what = entityWords(deps, `${kind}/${called}`)
      const subject = restoreSubject({ verb: 'Restore', what, ...revision })
      return { ...ground, scope, subject, result }
    }
    case 'change': {
      await assertOwnRevision(deps, principal, ground)
      const what = scope.isRest ? 'the rest' : null
      const subject = restoreSubject({ verb: 'Undo', what, ...revision })
      return { ...ground, scope, subject, result: await planUndoing(deps, ground, scope) }
    }
  }
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

/** Asserts that a caller administers an entity now, and under its name in a revision. */
async function assertOwnEntity(
  deps: RestoreDeps,
  principal: Principal,
  { ground, names }: { ground: RestoreGround; names: Readonly<Record<'now' | 'past', string>> },
): Promise<void> {
  const { access } = deps
  if (access.may(principal, { action: 'administer' })) return
  const [now, past] = [
    findNamedEntity((await readRevision(deps, ground.current)).root, names.now),
    findNamedEntity((await readRevision(deps, ground.revision)).root, names.past),
  ]
  assertMayChange(() => {
    assertAdministers(access, principal, now ?? past)
    assertAdministers(access, principal, past)
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
  await assertOwnEntity(deps, principal, { ground, names })
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
  { isRest }: { readonly isRest: boolean },
): Promise<RestoreResult> {
  const { history } = deps
  const { revision, current, before: theirs } = ground
  const name = `r${revision.number}`
  const previous = history.previousOf(revision)
  if (previous === null)
    return blocked(`${name} is the first revision, so there is nothing to go back to`)
  const ours = await history.readDocument(previous)
  const base = await history.readDocument(revision)
  if (revision.digest === current.digest) return ours
  await deps.entities.settle()
  const { entities } = deps
  const made = entities.renamesBetween(previous, revision)
  const renames = {
    ours: made.map(([former, later]) => [later, former] as const),
    theirs: entities.renamesBetween(revision, current),
  }
  const undoing = await deps.work.undoChange({ ours, base, theirs, renames })
  if (undoing.kind === 'unreadable')
    return blocked(`${name} cannot be undone: one of its documents is not readable XML`)
  const { contested, document } = undoing
  if (isRest || contested.length === 0) return document
  const hasRest = Buffer.compare(document, theirs) !== 0
  const told = contested.map((part) => ({ ...part, path: toldPath(deps, part) }))
  return { ...changedAgain(deps, ground, contested), contested: told, hasRest }
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
