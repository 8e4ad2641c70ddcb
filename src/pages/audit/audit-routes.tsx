import type { AuditEntry, AuditPage } from '../../core/service/audit.ts'
import { readAudit } from '../../notify/audit/audit.ts'
import { parseAuditQuery } from '../../api/service/audit-query.ts'
import { pageResponse } from '../frame/page-response.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { auditSentence, type ToldEntry } from './audit-sentence.ts'
import { AuditView } from './audit-view.tsx'

/** The days as they are written in the address. */
function dayFields({ since = '', until = '' }: Readonly<Record<string, string>>) {
  return { since, until }
}

/** The longest time from a revision to the entry of the request that made it, in milliseconds. */
const RECORDED_WITHIN_MS = 10_000

interface FoldedPage extends AuditPage {
  readonly entries: readonly ToldEntry[]
}

/** The actions that make revisions through a door. */
const ACTIONS_OF_DOORS: Readonly<Record<string, readonly string[]>> = {
  put: ['save-configuration'],
  post: ['save-configuration'],
  form: ['save-configuration'],
  entity: ['save-entity', 'remove-entity'],
  'create-pipeline': ['create-pipeline'],
  restore: ['restore-revision', 'restore-entity'],
  undo: ['undo-revision'],
  push: ['push-configuration'],
  'agent-administration': ['enable-agent', 'disable-agent', 'delete-agent', 'change-agent'],
  proposal: ['merge-proposal'],
}

/**
 * One row for each deed: the entry of the request names the revision that it made, so that the
 * revision's own entry says nothing new beside it.
 */
function foldChanges({ entries, next }: AuditPage): FoldedPage {
  const folded = new Set<AuditEntry>()
  const told = entries.map((entry) => {
    const change = entries.find((each) => !folded.has(each) && isMadeBy(each, entry))
    if (!change) return [entry, entry] as const
    folded.add(change)
    return [entry, { ...entry, made: change.target }] as const
  })
  return { entries: told.flatMap(([entry, shown]) => (folded.has(entry) ? [] : [shown])), next }
}

/** Whether an entry is that of the revision that a request made. */
function isMadeBy(change: AuditEntry, { user, action, outcome, request, md5, time }: AuditEntry) {
  if (change.action !== 'change-configuration' || change.user !== user) return false
  if (request === undefined || outcome !== 'done') return false
  const later = time - change.time
  if (later < 0 || later >= RECORDED_WITHIN_MS) return false
  if (md5 !== undefined) return change.md5 === md5
  return (ACTIONS_OF_DOORS[change.door ?? ''] ?? []).includes(action)
}

const { get } = routesWith<PagesContext>()

/** `/audit`: the audit log as a page. */
export const auditPage = definePage([
  get(
    '/audit',
    async ({ pages, notify, configuration }, c) => {
      const query = parseAuditQuery(c.req.query())
      const entries = foldChanges(await readAudit(notify, c.env.principal, query))
      const sentenceOf = (entry: ToldEntry) => auditSentence(configuration, pages.links, entry)
      const days = dayFields(c.req.query())
      const isWhole = configuration.runs() !== null
      const view = { ...pages.open(c), query, page: entries, sentenceOf, days, isWhole }
      return pageResponse(<AuditView {...view} />)
    },
    { needs: 'leader-if-reachable' },
  ),
])
