import type { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Problem } from '../core/problem.ts'
import type { Revision } from '../core/revision.ts'
import type { Conflict, Merge, MergeInput } from '../diff/merge.ts'
import type { Change, CurrentDocument, History } from '../history/history.ts'
import { notValid } from '../history/problems.ts'
import type { DocumentCache } from './document-cache.ts'
import { type Access, assertMay } from './permission.ts'

export interface ConfigSavingDeps {
  readonly history: History
  readonly access: Access
  readonly cache: DocumentCache
  /** Merges two edits of a document, where that holds up nobody. */
  readonly merge: (texts: MergeInput) => Promise<Merge>
}

export interface SaveRequest {
  readonly document: Uint8Array<ArrayBuffer>
  /** The digest the edit began from, or null when it is the current one by the caller's word. */
  readonly basedOn: Digest | null
}

/**
 * Saves a whole document as a new revision by the caller. A stale edit is merged with what came
 * since; a document equal to the current one makes no commit.
 *
 * @throws {ServiceError} `config-invalid`, `config-stale`, `not-permitted`.
 */
export function saveDocument(
  deps: ConfigSavingDeps,
  principal: Principal,
  { document, basedOn }: SaveRequest,
): Promise<Change> {
  assertMay(deps.access, principal, { action: 'administer' })
  return deps.history.change(principal.username, async (current) => {
    if (basedOn === null || basedOn === current.revision.digest) return document
    return mergeStale(deps, current, { document, basedOn })
  })
}

async function mergeStale(
  { history, cache, merge }: ConfigSavingDeps,
  current: CurrentDocument,
  { document, basedOn }: { document: Uint8Array<ArrayBuffer>; basedOn: Digest },
): Promise<Uint8Array> {
  const base = history.find(basedOn)
  if (!base) throw stale(current.revision, [], 'began from a configuration that was never current')
  const inspection = await cache.inspect(document)
  if (!inspection.ok) throw notValid(inspection.problems)
  const texts = {
    base: await history.readDocument(base),
    ours: document,
    theirs: current.document,
  }
  const merged = await merge(texts)
  if (merged.clean) return merged.merged
  const problems = merged.conflicts.flatMap((conflict) => bothSides(conflict, current.revision))
  throw stale(current.revision, problems, 'touches lines that have changed since')
}

/** The two sides of a conflict, each with its first line and its text. */
function bothSides({ ours, theirs }: Conflict, { username }: Revision): Problem[] {
  const sides = [
    { path: 'yours', side: ours },
    { path: `theirs (${username})`, side: theirs },
  ]
  return sides.map(({ path, side }) => ({
    path,
    line: side.lines.start + 1,
    message: Buffer.from(side.bytes).toString('utf8'),
  }))
}

function stale(
  { digest, username }: Revision,
  problems: readonly Problem[],
  reason: string,
): ServiceError {
  const message = `The edit ${reason}; the current configuration ${digest} is by ${username}`
  return new ServiceError('config-stale', message, { current: digest, problems })
}
