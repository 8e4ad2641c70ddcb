import type {
  MaterialRevision,
  Modification,
  PipelineInstance,
  RunChanges,
} from '../engine/documents.ts'
import { fitTime } from '../../history/revision/commit-limits.ts'
import type { BuildQueries } from '../engine/queries.ts'
import { parseUpstream } from '../engine/upstream-revision.ts'
import type { MaterialPoller } from '../materials/material-poller.ts'
import { SourceFailed } from '../../sources/modification.ts'
import { revisionIn, type WantedRevision } from './wanted-revisions.ts'

export interface ChangesDeps {
  readonly poller: Pick<MaterialPoller, 'changes'>
  readonly builds: Pick<BuildQueries, 'stage'>
}

/** The revisions of a future run, compared with those of the previous run. */
export interface RunRevisions {
  readonly revisions: readonly MaterialRevision[]
  readonly changes: RunChanges
  /** The changes that were not available in time; a run does not wait for them. */
  readonly later: () => Promise<RunChanges>
}

/**
 * The limits of stored modifications per material, newest first, and of characters in their
 * users and comments.
 */
const MAX_MODIFICATIONS = 100
const MAX_USERNAME_LENGTH = 256
const MAX_COMMENT_LENGTH = 2_000

type ListedChanges = readonly Modification[] | null

interface Look {
  readonly wanted: WantedRevision
  readonly listed: Promise<ListedChanges>
}

/**
 * The changes in the revisions since another run, as far as they are available within `timeoutMs`
 * milliseconds.
 */
export async function compareRevisions(
  deps: ChangesDeps,
  wanted: readonly WantedRevision[],
  { newest, timeoutMs }: { readonly newest: PipelineInstance | null; readonly timeoutMs: number },
): Promise<RunRevisions> {
  const looks = wanted
    .filter(({ fingerprint, revision }) => revisionIn(newest, fingerprint) !== revision)
    .map((each) => ({ wanted: each, listed: changesOf(deps, each, newest) }))
  const inTime = await Promise.all(
    looks.map(async (look) => ({ look, listed: await within(timeoutMs, look.listed) })),
  )
  const listedOf = new Map(inTime.map(({ look, listed }) => [look.wanted.fingerprint, listed]))
  return {
    revisions: wanted.map((each) => ({
      ...each,
      changed: listedOf.has(each.fingerprint),
      fromRevision: listedOf.get(each.fingerprint)?.at(-1)?.revision ?? each.revision,
    })),
    changes: inTime.flatMap(({ look, listed }) => kept(look, listed)),
    later: () => listLater(inTime.filter(({ listed }) => listed === null).map(({ look }) => look)),
  }
}

async function listLater(looks: readonly Look[]): Promise<RunChanges> {
  const listed = await Promise.all(looks.map(async (look) => kept(look, await look.listed)))
  return listed.flat()
}

async function changesOf(
  deps: ChangesDeps,
  { fingerprint, revision: upTo }: WantedRevision,
  newest: PipelineInstance | null,
): Promise<ListedChanges> {
  const upstream = parseUpstream(upTo)
  if (upstream) {
    const run = await deps.builds.stage(upstream)
    const { approvedBy: username, createdAt: time } = run ?? { approvedBy: '', createdAt: 0 }
    return [{ revision: upTo, username, time, comment: '' }]
  }
  const after = revisionIn(newest, fingerprint)
  try {
    const since = after === null ? null : await deps.poller.changes(fingerprint, { after, upTo })
    // Revisions older than before, or too many of them, are represented by the newest change alone.
    if (since && since.length > 0) return since
    return await deps.poller.changes(fingerprint, { after: null, upTo })
  } catch (error) {
    if (error instanceof SourceFailed) return null
    throw error
  }
}

async function within(timeoutMs: number, listed: Promise<ListedChanges>): Promise<ListedChanges> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs)
  })
  try {
    return await Promise.race([listed, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Repositories hold impossible times, which no page could show. */
function kept({ wanted: { fingerprint } }: Look, listed: ListedChanges): RunChanges {
  if (!listed || listed.length === 0) return []
  const modifications = listed
    .slice(0, MAX_MODIFICATIONS)
    .map(({ revision, username, time, comment }) => ({
      revision,
      username: username.slice(0, MAX_USERNAME_LENGTH),
      time: Math.trunc(fitTime(time)),
      comment: comment.slice(0, MAX_COMMENT_LENGTH),
    }))
  return [{ fingerprint, modifications }]
}
