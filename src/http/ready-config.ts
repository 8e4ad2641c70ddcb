import { Digest } from '../core/digest.ts'
import type { Principal } from '../core/principal.ts'
import { CommitSha, type Revision } from '../core/revision.ts'
import type { ConfigReadingDeps, RevisionPair } from '../services/config-reading.ts'
import type { ReadyBody } from './ready-body.ts'
import type { ReadyAnswers } from './ready-door.ts'

export const CURRENT = '/api/admin/config.xml'
export const CURRENT_NAMED = '/api/admin/config/current.xml'
export const SNAPSHOTS = '/api/admin/config/:file{.+\\.xml}'
export const REVISIONS = '/api/config/revisions'
export const PAGES = '/api/config/revisions/:offset'
export const DIFFS = '/api/config/diff/:from/:to'

/** Whether an address stands for the snapshot for ever or for a while. */
export type SnapshotKind = 'mutable' | 'immutable'

type Taken = ReadyBody | Promise<ReadyBody>
export type TakeSnapshot = (revision: Revision, kind: SnapshotKind) => Taken
export type TakeDiff = (pair: RevisionPair) => Taken

export interface ReadyConfigParts {
  readonly takeSnapshot: TakeSnapshot
  readonly takeDiff: TakeDiff
  /** The list for an address, if it is kept. */
  readonly findList: (target: string) => ReadyBody | null
}

/** How addresses of snapshots and diffs stand in most requests; the routes take others as well. */
const SNAPSHOT = /^\/api\/admin\/config\/([0-9a-f]{32})\.xml$/
const DIFF = /^\/api\/config\/diff\/([0-9a-f]{40})\/([0-9a-f]{40})$/

/** Names that are made once, and not for every request. */
const [CURRENT_ROUTE, NAMED_ROUTE] = [`GET ${CURRENT}`, `GET ${CURRENT_NAMED}`]
const [SNAPSHOT_ROUTE, DIFF_ROUTE] = [`GET ${SNAPSHOTS}`, `GET ${DIFFS}`]
const [LIST_ROUTE, PAGE_ROUTE] = [`GET ${REVISIONS}`, `GET ${PAGES}`]

/** The answers that most requests are for, while the caller may have them. Lists only if they are kept. */
export function readyConfig(
  { history, access }: Pick<ConfigReadingDeps, 'history' | 'access'>,
  { takeSnapshot, takeDiff, findList }: ReadyConfigParts,
): ReadyAnswers {
  const findSnapshot = (digest: string) => {
    const revision = history.find(Digest.parse(digest))
    return revision && takeSnapshot(revision, 'immutable')
  }
  const findDiff = (from: string, to: string) => {
    const before = history.findCommit(CommitSha.parse(from))
    const after = history.findCommit(CommitSha.parse(to))
    return before && after && takeDiff({ before, after })
  }
  return {
    routeOf,
    find: (target: string, principal: Principal) => {
      if (!access.may(principal, { action: 'administer' })) return null
      if (target.startsWith(REVISIONS)) return findList(target)
      if (isCurrent(target)) return takeSnapshot(history.current(), 'mutable')
      const [, digest] = SNAPSHOT.exec(target) ?? []
      if (digest !== undefined) return findSnapshot(digest)
      const [, from = '', to = ''] = DIFF.exec(target) ?? []
      return to === '' ? null : findDiff(from, to)
    },
  }
}

function routeOf(target: string): string | null {
  if (target.startsWith(REVISIONS))
    return target[REVISIONS.length] === '/' ? PAGE_ROUTE : LIST_ROUTE
  if (isCurrent(target)) return target === CURRENT ? CURRENT_ROUTE : NAMED_ROUTE
  if (SNAPSHOT.test(target)) return SNAPSHOT_ROUTE
  return DIFF.test(target) ? DIFF_ROUTE : null
}

function isCurrent(target: string): boolean {
  return target === CURRENT || target === CURRENT_NAMED
}
