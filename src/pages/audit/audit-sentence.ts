import type { AuditEntry } from '../../core/audit.ts'
import type { History } from '../../history/history.ts'
import { CommitSha } from '../../core/revision.ts'
import { Digest } from '../../core/digest.ts'
import { shownAgent } from '../agents/shown-agent.ts'
import type { Links } from '../frame/links.ts'
import type { PageStateDeps } from '../frame/page-state.tsx'

export interface AuditSentenceDeps extends PageStateDeps {
  readonly history: History
}

/** What an entry of the audit log is about, in words, with where that is looked at. */
export interface AuditSentence {
  readonly verb: string
  readonly object: string
  /** Null for what has no page. */
  readonly href: string | null
  /** The revision that came of it. */
  readonly revision: number | null
}

/** The actions, each with its verb; what it is done to follows. */
export const AUDIT_VERBS: ReadonlyMap<string, string> = new Map([
  ['save-configuration', 'Saved the configuration'],
  ['change-configuration', 'Changed the configuration'],
  ['restore-revision', 'Restored revision'],
  ['restore-entity', 'Restored'],
  ['undo-revision', 'Undid revision'],
  ['reveal-secrets', 'Revealed secrets of'],
  ['acknowledge-secrets', 'Acknowledged secrets of'],
  ['create-pipeline', 'Created pipeline'],
  ['schedule-pipeline', 'Triggered pipeline'],
  ['pause-pipeline', 'Paused pipeline'],
  ['unpause-pipeline', 'Unpaused pipeline'],
  ['release-lock', 'Unlocked pipeline'],
  ['run-stage', 'Ran stage'],
  ['cancel-stage', 'Cancelled stage'],
  ['enable-agent', 'Enabled agent'],
  ['disable-agent', 'Disabled agent'],
  ['delete-agent', 'Deleted agent'],
  ['change-agent', 'Changed agent'],
  ['register-agent', 'Registered an agent'],
  ['create-user', 'Added user'],
  ['disable-user', 'Disabled user'],
  ['enable-user', 'Enabled user'],
  ['delete-user', 'Removed user'],
  ['reset-password', 'Set the password of user'],
  ['change-own-password', 'Changed the own password of user'],
  ['create-token', 'Made token'],
  ['revoke-token', 'Revoked token'],
  ['create-invitation', 'Invited an agent:'],
  ['revoke-invitation', 'Revoked invitation'],
  ['log-in', 'Logged in'],
  ['log-out', 'Logged out'],
  ['fetch-configuration', 'Cloned or fetched the configuration'],
  ['push-configuration', 'Pushed to the configuration'],
])

/** Their verbs say it all. */
const WITHOUT_OBJECT = [
  'save-configuration',
  'change-configuration',
  'register-agent',
  'log-in',
  'log-out',
  'fetch-configuration',
  'push-configuration',
]
/** The call that creates a pipeline ends so, behind its name. */
const CREATION = /^(\/.*)?\/tab\/admin\/pipelines\/.*\.json$/

/** Puts an entry into words. */
export function auditSentence(
  { history, state }: AuditSentenceDeps,
  links: Links,
  { action, target, md5, targets = [] }: AuditEntry,
): AuditSentence {
  const revision = revisionNumber(history, action === 'change-configuration' ? target : (md5 ?? ''))
  const verb = AUDIT_VERBS.get(action) ?? action
  if (targets.length > 0) return { verb, object: targets.join(', '), href: null, revision }
  if (WITHOUT_OBJECT.includes(action)) return { verb, object: '', href: null, revision }
  const place = placeOf({ links, state }, target)
  return { verb, ...(place ?? { object: target, href: null }), revision }
}

type Place = Pick<AuditSentence, 'object' | 'href'>

/** What the path of a call is about. */
function placeOf(
  { links, state }: PageStateDeps & { readonly links: Links },
  target: string,
): Place | null {
  const [kind = '', ...parts] = segmentsOf(target)
  const [first = '', second = '', third, fourth] = parts
  if (kind === 'agents' && parts.length > 0) {
    const known = state?.directory.find(first)
    return { object: known ? shownAgent(known).name : first, href: links.agent(first) }
  }
  if (kind === 'agent-invitations' && parts.length > 0)
    return { object: first, href: links.invitations() }
  if (kind === 'tokens' && parts.length > 0) return { object: first, href: null }
  if (kind === 'users' && parts.length > 0) return { object: first, href: links.user(first) }
  if (kind === 'pipelines' && parts.length > 0) {
    const name = CREATION.test(target) ? first.slice(0, -'.json'.length) : first
    return { object: name, href: links.pipeline(name) }
  }
  if (kind === 'stages' && second === '') return null
  if (kind === 'stages') {
    const stage = { pipeline: first, stage: second }
    const [counter, run] = [Number(third), Number(fourth)]
    if (Number.isSafeInteger(counter) && Number.isSafeInteger(run)) {
      const object = `${first} / ${third} / ${second} / ${fourth}`
      const of = { ...stage, pipelineCounter: counter, stageCounter: run }
      return { object, href: links.stageRun(of) }
    }
    if (third === 'run') {
      return { object: `${first} / ${fourth} / ${second}`, href: links.stage(stage) }
    }
    return { object: `${first} / ${second}`, href: links.stage(stage) }
  }
  if (kind === 'config' && first === 'entity') {
    return { object: `${second} ${third ?? ''}`, href: links.entity(second, third ?? '') }
  }
  if (kind === 'config' && first === 'compare' && third !== undefined) {
    return {
      object: `${shortened(second)} to ${shortened(third)}`,
      href: links.compare(second, third),
    }
  }
  if (kind === 'config' && first === 'revisions') {
    return { object: shortened(second), href: links.snapshot(second) }
  }
  const isSnapshot = /^r\d+$/.test(first) || isName(first)
  if (kind === 'config' && isSnapshot)
    return { object: shortened(first), href: links.snapshot(first) }
  return null
}

/** The parts of a path behind `/api`, and without the base path. */
function segmentsOf(target: string): string[] {
  const parts = target.split('/').filter((part) => part !== '' && part !== 'api')
  const from = parts.findIndex((part) => KINDS.includes(part))
  return parts.slice(Math.max(from, 0)).map(decoded)
}

const KINDS = ['agents', 'agent-invitations', 'tokens', 'users', 'pipelines', 'stages', 'config']

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function shortened(name: string): string {
  return isName(name) ? name.slice(0, 8) : name
}

/** Whether it is the whole digest or commit of a revision. */
function isName(text: string): boolean {
  return [Digest, CommitSha].some((name) => name.safeParse(text).success)
}

function revisionNumber(history: History, name: string): number | null {
  const commit = CommitSha.safeParse(name)
  const digest = Digest.safeParse(name)
  const byDigest = digest.success ? history.find(digest.data) : null
  const found = commit.success ? history.findCommit(commit.data) : byDigest
  return found && history.numberOf(found)
}
