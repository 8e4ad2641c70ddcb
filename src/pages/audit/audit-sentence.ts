import type { AuditEntry } from '../../core/service/audit.ts'
import { capitalised } from '../../lib/texts.ts'
import type { History } from '../../history/history.ts'
import { CommitSha } from '../../core/revision.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import { Digest } from '../../core/digest.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { shownAgent } from '../agents/shown-agent.ts'
import { knownLabel, entityWords } from '../revisions/entity-words.ts'
import type { Links } from '../kit/links.ts'
import type { PageStateDeps } from '../frame/page-state.tsx'

export interface AuditSentenceDeps extends PageStateDeps {
  readonly history: History
  readonly entities: EntityIndex
}

/** An entry of the audit log in words, with a link to its subject. */
export interface AuditSentence {
  readonly verb: string
  readonly object: string
  /** Null for what has no page. */
  readonly href: string | null
  /** The revision that came of it. */
  readonly revision: number | null
}

/** An action in words: when it was done, and the infinitive behind "Tried to". */
type Deed = readonly [done: string, attempt: string]

const DEEDS: ReadonlyMap<string, Deed> = new Map(
  Object.entries<Deed>({
    'save-configuration': ['Saved the configuration', 'save the configuration'],
    'change-configuration': ['Changed the configuration', 'change the configuration'],
    'rewrite-history': ['Rewrote the history', 'rewrite the history'],
    'save-entity': ['Saved', 'save'],
    'remove-entity': ['Removed', 'remove'],
    'tag-revision': ['Tagged revision', 'tag revision'],
    'untag-revision': ['Removed a tag of revision', 'remove a tag of revision'],
    'save-rules': ['Saved the rules', 'save the rules'],
    propose: ['Proposed', 'propose'],
    'update-proposal': ['Updated proposal', 'update proposal'],
    approve: ['Approved proposal', 'approve proposal'],
    reject: ['Rejected proposal', 'reject proposal'],
    'comment-proposal': ['Commented on proposal', 'comment on proposal'],
    'merge-proposal': ['Merged proposal', 'merge proposal'],
    'close-proposal': ['Closed proposal', 'close proposal'],
    'restore-revision': ['Restored revision', 'restore revision'],
    'restore-entity': ['Restored', 'restore'],
    'undo-revision': ['Undid revision', 'undo revision'],
    'reveal-secrets': ['Revealed the secrets of', 'reveal the secrets of'],
    override: ['Overrode the rule', 'override a rule'],
    'begin-recovery': ['Let administrators bypass rules', 'let administrators bypass rules'],
    'acknowledge-override': ['Acknowledged the override of', 'acknowledge the override of'],
    'acknowledge-secrets': [
      'Acknowledged the plain-text secrets of',
      'acknowledge the plain-text secrets of',
    ],
    'poll-material': ['Polled a material', 'poll a material'],
    'free-room': ['Removed old artifacts', 'remove old artifacts'],
    'set-live-file-aside': ['Put the invalid live file aside', 'put the invalid live file aside'],
    'create-pipeline': ['Created pipeline', 'create pipeline'],
    'schedule-pipeline': ['Triggered pipeline', 'trigger pipeline'],
    'pause-pipeline': ['Paused pipeline', 'pause pipeline'],
    'unpause-pipeline': ['Unpaused pipeline', 'unpause pipeline'],
    'release-lock': ['Unlocked pipeline', 'unlock pipeline'],
    'run-stage': ['Ran stage', 'run stage'],
    'cancel-stage': ['Cancelled stage', 'cancel stage'],
    'enable-agent': ['Enabled agent', 'enable agent'],
    'disable-agent': ['Disabled agent', 'disable agent'],
    'delete-agent': ['Deleted agent', 'delete agent'],
    'change-agent': ['Changed agent', 'change agent'],
    'register-agent': ['Registered agent', 'register agent'],
    'create-user': ['Added user', 'add user'],
    'disable-user': ['Disabled user', 'disable user'],
    'enable-user': ['Enabled user', 'enable user'],
    'delete-user': ['Removed user', 'remove user'],
    'reset-password': ['Set the password of user', 'set the password of user'],
    'change-own-password': [
      'Changed the password of their own account',
      'change the password of their own account',
    ],
    'change-mail-subscription': [
      'Changed their mail notifications',
      'change their mail notifications',
    ],
    'create-token': ['Created token', 'create a token'],
    'revoke-token': ['Revoked token', 'revoke token'],
    'create-invitation': ['Created agent invitation', 'create an agent invitation'],
    'revoke-invitation': ['Revoked agent invitation', 'revoke agent invitation'],
    'log-in': ['Logged in', 'log in'],
    'log-out': ['Logged out', 'log out'],
    'log-out-everywhere': ['Logged out everywhere', 'log out everywhere'],
    'fetch-configuration': [
      'Cloned or fetched the configuration',
      'clone or fetch the configuration',
    ],
    'push-configuration': ['Pushed to the configuration', 'push to the configuration'],
    'send-webhook-again': ['Sent a webhook again', 'send a webhook again'],
    'use-tools': ['Used tools of an assistant', 'use tools of an assistant'],
    'set-maintenance': ['Set the maintenance mode', 'set the maintenance mode'],
    'shorten-audit-log': ['Dropped from the full audit log', 'drop'],
    'other-actions': ['Other actions', 'do other things'],
    'damaged-entry': ['A damaged entry', 'read a damaged entry'],
  }),
)

/** The names of actions whose words need their object. */
const NAMES: Readonly<Record<string, string>> = {
  'save-entity': 'Save one entity',
  'remove-entity': 'Remove one entity',
  'restore-entity': 'Restore one entity',
  'untag-revision': 'Remove a tag',
  'update-proposal': 'Update a proposal',
  propose: 'Propose a change',
  'reveal-secrets': 'Reveal secrets',
  'acknowledge-override': 'Acknowledge an override',
  'acknowledge-secrets': 'Acknowledge plain-text secrets',
  'reset-password': 'Set the password of a user',
  'change-own-password': 'Change own password',
  'shorten-audit-log': 'Drop the oldest entries',
}

/** The actions to filter by, each with its name. */
export const AUDIT_ACTIONS: ReadonlyMap<string, string> = new Map(
  Array.from(DEEDS, ([action, [, attempt]]) => [action, NAMES[action] ?? capitalised(attempt)]),
)

/** A call without a name of its own is recorded as the pattern of its route. */
function deedOf(action: string): Deed {
  const named = DEEDS.get(action)
  if (named) return named
  return /^(GET|HEAD) /.test(action) ? ['Opened', 'open'] : ['Acted on', 'act on']
}

function verbOf({ action, outcome }: Pick<AuditEntry, 'action' | 'outcome'>): string {
  const [done, attempt] = deedOf(action)
  const isFact = outcome === 'done' || WITHOUT_ATTEMPT.includes(action)
  return isFact ? done : `Tried to ${attempt}`
}

/** Entries that are facts and nobody's attempt. */
const WITHOUT_ATTEMPT = ['other-actions', 'damaged-entry', 'shorten-audit-log']

/** Entities of a change that are named. */
const MAX_NAMED = 3

/** Their verbs say it all, but for the entities of a change. */
const WITHOUT_OBJECT = [
  'save-configuration',
  'change-configuration',
  'set-live-file-aside',
  'poll-material',
  'free-room',
  'change-mail-subscription',
  'change-own-password',
  'log-out-everywhere',
  'damaged-entry',
  'log-in',
  'log-out',
  'fetch-configuration',
  'push-configuration',
  'save-rules',
  'set-maintenance',
  'use-tools',
  'send-webhook-again',
]
/** The call that creates a pipeline ends so, behind its name. */
const CREATION = /^(\/.*)?\/tab\/admin\/pipelines\/.*\.json$/

export interface ToldEntry extends AuditEntry {
  /** The commit that it made, where that is known: others may have the same digest. */
  readonly made?: string
}

/** Puts an entry into words. */
export function auditSentence(
  deps: AuditSentenceDeps,
  links: Links,
  { action, outcome, target, md5, made, targets = [], entities = [] }: ToldEntry,
): AuditSentence {
  const own = action === 'change-configuration' ? target : md5
  const revision = revisionNumber(deps.history, made ?? own ?? '')
  const verb = verbOf({ action, outcome })
  if (WITHOUT_OBJECT.includes(action)) {
    const names = entities
      .slice(0, MAX_NAMED)
      .map((entity) => entityName(deps, entity))
      .join(', ')
    return { verb, object: names === '' ? '' : `(${names})`, href: null, revision }
  }
  if (targets.length > 0) {
    const objects = targets.map((each) => placeOf(deps, links, each)?.object ?? each)
    return { verb, object: objects.join(', '), href: null, revision }
  }
  const place = proposedIn(links, { action, target }) ?? placeOf(deps, links, target)
  if (place === null) {
    return { verb, object: target.split(' ').map(shortened).join(' '), href: null, revision }
  }
  const kind = DEEDS.has(action) ? '' : kindOf(target)
  return { verb, ...place, object: `${kind}${place.object}`, revision }
}

/** The proposal that an entry is about, also where its target is not a path but `proposal 3`. */
function proposedIn(links: Links, { action, target }: Pick<ToldEntry, 'action' | 'target'>) {
  const [, number] = /^(?:.*\/proposals\/|proposal )(\d+)$/.exec(target) ?? []
  if (number === undefined) return null
  const object = action === 'propose' ? `a change (proposal ${number})` : number
  return { object, href: links.proposal(Number(number)) }
}

/** `pipeline web-shop` */
function entityName(deps: AuditSentenceDeps, entity: string): string {
  const { kind, name } = splitEntity(entity)
  return kind === 'agent' ? `agent ${agentName(deps, name)}` : entityWords(deps, entity)
}

/** The host of an agent, and of one that is gone the host that it had. */
function agentName(deps: AuditSentenceDeps, uuid: string): string {
  const known = deps.runs()?.directory.find(uuid)
  return known ? shownAgent(known).name : knownLabel(deps, `agent/${uuid}`)
}

type Place = Pick<AuditSentence, 'object' | 'href'>

/** The subject of a call, from its path. */
function placeOf(deps: AuditSentenceDeps, links: Links, target: string): Place | null {
  const [kind = '', ...parts] = segmentsOf(target)
  const [first = '', second = '', third, fourth] = parts
  if (kind === 'agents' && parts.length > 0) {
    return { object: agentName(deps, first), href: links.agent(first) }
  }
  if (kind === 'agents-protocol' && first === 'register')
    return { object: '(not named)', href: null }
  if (kind === 'agents-protocol' && parts.length > 0)
    return { object: `agent ${agentName(deps, first)}`, href: links.agent(first) }
  if (kind === 'agent-invitations' && parts.length > 0)
    return { object: first, href: links.invitations() }
  if (kind === 'tokens' && parts.length > 0) return { object: first, href: null }
  if (kind === 'proposals') {
    const number = Number(first)
    return first === ''
      ? { object: 'a change', href: links.proposals() }
      : { object: first, href: Number.isSafeInteger(number) ? links.proposal(number) : null }
  }
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
  if (kind === 'config' && (first === 'entity' || first === 'entities')) {
    const object = entityName(deps, [second, third ?? []].flat().join('/'))
    return { object, href: links.entity(second, third ?? '') }
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

/** The kind of what a path is about, for verbs that do not say it: `pipeline `. */
function kindOf(target: string): string {
  const [kind = '', name] = segmentsOf(target)
  const isNamed = ['agents', 'users', 'pipelines', 'stages', 'proposals'].includes(kind)
  return isNamed && name !== undefined ? `${kind.slice(0, -1)} ` : ''
}

/** The parts of a path behind `/api`, and without the base path. */
function segmentsOf(target: string): string[] {
  const parts = target.split('/').filter((part) => part !== '' && part !== 'api')
  const from = parts.findIndex((part) => KINDS.includes(part))
  return parts.slice(Math.max(from, 0)).map(decoded)
}

const KINDS = [
  'agents',
  'agents-protocol',
  'agent-invitations',
  'tokens',
  'users',
  'pipelines',
  'stages',
  'proposals',
  'config',
]

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
