import type { DoorOfPeople } from '../../core/change-origin.ts'
import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import type { MergeConflict } from '../../document/merge/merge-conflict.ts'
import type { ConfigurationWriter } from './configuration-writer.ts'
import type { DocumentBefore, SavedChange } from './save-group.ts'
import { notValid } from '../../history/revision/problems.ts'
import type { DocumentCache } from '../current/document-cache.ts'
import { type KnownRenamesDeps, knownRenames } from './known-renames.ts'
import { withOwnLineEndingBytes } from './line-endings.ts'
import type { MergeDocuments } from './merge-edits.ts'
import { type Access, assertMay } from '../access/permission.ts'
import { assertMayChange } from '../gate/refusal.ts'

export interface ConfigSavingDeps extends KnownRenamesDeps {
  readonly writer: ConfigurationWriter
  readonly access: Access
  readonly cache: DocumentCache
  readonly merge: MergeDocuments
}

export interface SaveRequest {
  readonly door: Extract<DoorOfPeople, 'put' | 'post' | 'form'>
  readonly document: Uint8Array<ArrayBuffer>
  /** The digest that the edit is based on; null when the caller declares it current. */
  readonly basedOn: Digest | null
  /** The reason in the words of the caller; may be empty. */
  readonly message?: string
  /** Runs before a commit, with the document that will be committed and the one before it. */
  readonly beforeCommit?: (
    document: Uint8Array<ArrayBuffer>,
    before: Uint8Array<ArrayBuffer>,
  ) => Promise<void>
}

/**
 * Saves a whole document as a new revision by the caller. A stale edit is merged with later
 * changes; a document equal to the current one makes no commit. A form keeps the line endings of
 * the document that the edit began from. The gate decides whether the caller may make the change.
 *
 * @throws {ServiceError} `config-invalid`, `config-stale`, `not-permitted`.
 */
export function saveDocument(
  deps: ConfigSavingDeps,
  principal: Principal,
  { door, document, basedOn, message = '', beforeCommit }: SaveRequest,
): Promise<SavedChange> {
  assertMayChange(() => assertMay(deps.access, principal, { action: 'administer-something' }))
  const isAdministrator = deps.access.may(principal, { action: 'administer' })
  const compute = async (current: DocumentBefore) => {
    if (basedOn === null) return document
    const isCurrent = basedOn === current.digest
    const base = isCurrent ? current.document : await readBase(deps, current, basedOn)
    const edited = door === 'post' ? withOwnLineEndingBytes(base, document) : document
    const edit = { document: edited, base, basedOn, isAdministrator }
    return isCurrent ? edited : mergeStale(deps, current, edit)
  }
  const prepare = async (current: DocumentBefore) => {
    const next = await compute(current)
    await beforeCommit?.(next, current.document)
    return next
  }
  return deps.writer.change({ door, principal }, prepare, { message })
}

async function readBase(
  { history, cache }: ConfigSavingDeps,
  current: DocumentBefore,
  basedOn: Digest,
): Promise<Uint8Array<ArrayBuffer>> {
  const base = await history.findEver(basedOn)
  if (base) return cache.findReadable(basedOn)?.bytes ?? history.readDocument(base)
  throw stale(current, [], 'began from a configuration that was never current')
}

interface StaleEdit {
  readonly document: Uint8Array<ArrayBuffer>
  readonly base: Uint8Array<ArrayBuffer>
  readonly basedOn: Digest
  readonly isAdministrator: boolean
}

async function mergeStale(
  deps: ConfigSavingDeps,
  current: DocumentBefore,
  { document, base, basedOn, isAdministrator }: StaleEdit,
): Promise<Uint8Array<ArrayBuffer>> {
  const { cache, history, merge } = deps
  const inspection = await cache.inspect(document)
  if (!inspection.ok) throw notValid(inspection.problems)
  const since = await history.findEver(basedOn)
  const renames = await knownRenames(deps, { since, upon: current.digest })
  const merged = await merge({ base, ours: document, theirs: current.document }, renames)
  if (merged === null) throw stale(current, [], 'began from a configuration that is not readable')
  if (merged.conflicts.length === 0) return new Uint8Array(Buffer.from(merged.text))
  // The text of others is for those who may read the whole document.
  const problems = isAdministrator
    ? merged.conflicts.flatMap((conflict) => bothSides(conflict, current))
    : []
  const places = [...new Set(merged.conflicts.map(({ path }) => path))]
  const others = places.length > 1 ? ` and ${places.length - 1} more` : ''
  throw stale(current, problems, `touches what has changed since (${places[0]}${others})`)
}

/** The two sides of a conflict, each with its line and its text. */
function bothSides({ ours, theirs }: MergeConflict, { username }: DocumentBefore): Problem[] {
  const sides = [
    { path: 'yours', side: ours },
    { path: `theirs (${username})`, side: theirs },
  ]
  return sides.map(({ path, side: { line, text } }) => ({ path, line, message: text }))
}

function stale(
  { digest, username }: DocumentBefore,
  problems: readonly Problem[],
  reason: string,
): ServiceError {
  const message = `The edit ${reason}; the current configuration ${digest} is by ${username}`
  return new ServiceError('config-stale', message, { current: digest, problems })
}
