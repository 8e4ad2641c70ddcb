import type { HealthProblem, ProblemKind, ServiceProblem } from '../core/service/health-problem.ts'
import type { ServiceMaintenance } from '../core/service/maintenance.ts'
import type { SeenServers } from '../core/service/seen-server.ts'
import type { Principal } from '../core/principal.ts'
import type { History, MaintenanceState } from '../history/history.ts'
import type { ArtifactUse } from '../builds/artifacts/artifact-quota.ts'
import type { BuildServices, OpenedBuilds } from '../builds/build-services.ts'
import type { MaterialProblem } from '../builds/materials/material-poller.ts'
import type { Mirror, MirrorState } from '../notify/mirror/mirror.ts'
import type { Access } from '../configuration/access/permission.ts'
import type { WebhookState } from '../notify/webhooks/webhook.ts'
import { awayProblems, type UserSourceState } from '../core/service/user-source-state.ts'
import { describeFault } from '../core/faults.ts'
import { isAboutStore } from '../state/unavailable.ts'
import { findDiskProblems, type WatchedFolder } from './disk-room.ts'

/** Whether the service works, and all problems for operators. */
export interface Health {
  readonly status: 'ok' | 'degraded'
  readonly version: string
  readonly revisions: number
  readonly current: string
  /** The state of the repository on disk; null until it was inspected. */
  readonly repository: MaintenanceState | null
  /** The repository that every revision is pushed to, or null where there is none. */
  readonly mirror: MirrorState | null
  /** The size of consoles and artifacts, and its limit. */
  readonly artifacts: ArtifactUse
  /** The receivers of revisions. */
  readonly webhooks: readonly WebhookState[]
  /** The servers that share a database; null where there is one server. */
  readonly servers: SeenServers | null
  /** The actions that are refused for a time. */
  readonly maintenance: ServiceMaintenance
  readonly problems: readonly ServiceProblem[]
}

/** The public part of the health: numbers, and nothing from the configuration. */
export interface HealthSummary {
  readonly status: Health['status']
  readonly version: string
  readonly revisions: number
  readonly problemCount: number
  /** How many revisions and seconds the mirror is behind; null when there is none. */
  readonly mirror: Pick<MirrorState, 'behind' | 'seconds'> | null
}

/** The parts of a server that may have something for its operators to look at. */
export interface HealthDeps {
  readonly history: History
  readonly version: string
  /** The folders whose disks may fill up. */
  readonly folders: readonly WatchedFolder[]
  readonly audit: { problem(): string | null }
  /** Facts that a commit changed although they must not change while the server runs. */
  readonly identity: { problems(): readonly string[] }
  /** The file with the keys of secrets. */
  readonly keptKeys: { problems(): readonly string[] }
  /** The commits that contain secrets in plain text. */
  readonly secretAlarm: { problems(): readonly HealthProblem[] }
  /** Null where administrators are held by rules. */
  readonly recovery: { problems(): readonly HealthProblem[] } | null
  /** The rules that do not fit the configuration and the users of now. */
  readonly rules: { problems(): readonly HealthProblem[] }
  /** The changes of the machine's owner that wait for a decision. */
  readonly ownerEdits: { problems(): readonly HealthProblem[] }
  /** The overrides of rules that nobody else has acknowledged. */
  readonly overrides: { problems(): readonly HealthProblem[] }
  /** The parts of the configuration that nobody acts on. */
  readonly unsupported: { problems(): readonly HealthProblem[] }
  readonly logIns: LogInHealth
  readonly maintenance: { current(): ServiceMaintenance }
  /** Null where there is one server. */
  readonly cluster: ClusterHealth | null
  /** Null while another server leads. */
  readonly leader: () => LeaderHealth | null
}

export interface LogInHealth {
  /** Whether those who have users elsewhere were there at the last log-in. */
  userSources(): readonly UserSourceState[]
  /** The reason why the local users cannot be read now, or null. */
  usersProblem(): string | null
}

/** The servers that share a database. */
export interface ClusterHealth {
  seen(): SeenServers
  /** Reasons why the database cannot be reached, as sentences. */
  databaseProblems(): readonly string[]
  /** The servers that need a look, as sentences. */
  serverProblems(): readonly string[]
  /** The age of the data that this server shows, as sentences. */
  lagProblems(): readonly string[]
}

/** The parts that only the leader has. */
export interface LeaderHealth {
  readonly builds: Pick<BuildServices & OpenedBuilds, 'problems' | 'quota' | 'waiting' | 'stranded'>
  readonly agents: { problems(): readonly string[] }
  /** The materials that cannot be read. */
  readonly materials: { problems(): readonly MaterialProblem[] }
  readonly webhooks: { states(): readonly WebhookState[] }
  /** Whether the mail server takes mail. */
  readonly mail: { problems(): readonly string[] }
  /** Null where revisions are pushed nowhere. */
  readonly mirror: Pick<Mirror, 'state' | 'problems'> | null
}

const NO_ARTIFACTS: ArtifactUse = { bytes: null, quota: null }

export function readHealth(deps: HealthDeps): Health {
  const { history, version, cluster } = deps
  const leader = deps.leader()
  const problems = withoutEffects(problemsOf(deps, leader))
  return {
    status: problems.length > 0 ? 'degraded' : 'ok',
    version,
    revisions: history.size(),
    current: history.current().digest,
    repository: history.storage(),
    mirror: leader?.mirror?.state() ?? null,
    artifacts: leader?.builds.quota.use() ?? NO_ARTIFACTS,
    webhooks: leader?.webhooks.states() ?? [],
    servers: cluster?.seen() ?? null,
    maintenance: deps.maintenance.current(),
    problems,
  }
}

function problemsOf(deps: HealthDeps, leader: LeaderHealth | null): readonly ServiceProblem[] {
  const { history, cluster, logIns } = deps
  const problem = history.problem()
  return [
    ...(problem
      ? [{ kind: problem.kind, subject: problem.message, errors: problem.problems }]
      : []),
    ...ofKind(
      'revision',
      history.unreadable().map(({ reason }) => reason),
    ),
    ...ofKind('disk', findDiskProblems(deps.folders)),
    ...ofKind('database', cluster?.databaseProblems()),
    ...ofKind('servers', cluster?.serverProblems()),
    ...ofKind('lag', cluster?.lagProblems()),
    ...ofKind('audit', [deps.audit.problem() ?? []].flat()),
    ...ofKind('mirror', leader?.mirror?.problems()),
    ...ofKind('builds', leader?.builds.problems()),
    ...ofKind('agents', leader?.agents.problems()),
    ...ofKind('identity', deps.identity.problems()),
    ...ofKind('log-in', [logIns.usersProblem() ?? [], awayProblems(logIns.userSources())].flat()),
    ...ofKind('keys', deps.keptKeys.problems()),
    ...ofKind('secrets', deps.secretAlarm.problems()),
    ...ofKind('recovery', deps.recovery?.problems()),
    ...ofKind('rules', deps.rules.problems()),
    ...ofKind('refused', deps.ownerEdits.problems()),
    ...ofKind('override', deps.overrides.problems()),
    ...ofKind('material', leader?.materials.problems()),
    ...ofKind('stuck-jobs', leader?.builds.waiting.problems()),
    ...ofKind('unsupported', deps.unsupported.problems()),
    ...ofKind('stranded-stages', leader?.builds.stranded.problems()),
    ...ofKind('webhook', leader?.webhooks.states().flatMap(webhookProblem)),
    ...ofKind('mail', leader?.mail.problems()),
  ]
}

/** A database that does not answer is one problem, whatever else does not work without it. */
function withoutEffects(problems: readonly ServiceProblem[]): readonly ServiceProblem[] {
  if (!problems.some(({ kind }) => kind === 'database')) return problems
  return problems.filter(({ kind, subject }) => kind === 'database' || !isAboutStore(subject))
}

function ofKind(
  kind: ProblemKind,
  problems: readonly (string | HealthProblem)[] = [],
): readonly ServiceProblem[] {
  return problems.map((each) =>
    typeof each === 'string' ? { kind, subject: each, errors: [] } : { ...each, kind },
  )
}

/** Reduces the health to its numbers. */
export function summariseHealth({
  status,
  version,
  revisions,
  problems,
  mirror,
}: Health): HealthSummary {
  return {
    status,
    version,
    revisions,
    problemCount: problems.length,
    mirror: mirror && { behind: mirror.behind, seconds: mirror.seconds },
  }
}

/** The problems that a caller may see. */
export function visibleProblems(
  access: Access,
  principal: Principal,
  problems: readonly ServiceProblem[],
): readonly ServiceProblem[] {
  if (access.may(principal, { action: 'administer' })) {
    return problems.map((each) => ({ ...each, errors: each.errorsInFull ?? each.errors }))
  }
  return problems.filter(
    ({ kind, pipelines = [] }) =>
      kind === 'recovery' ||
      (pipelines.length > 0 &&
        pipelines.every((pipeline) =>
          access.may(principal, { action: 'view-pipeline', pipeline }),
        )),
  )
}

function webhookProblem({ name, lastError }: WebhookState): string[] {
  return lastError === null ? [] : [`The webhook ${name} takes no deliveries: ${lastError}`]
}

export interface ReadinessDeps extends Pick<HealthDeps, 'history' | 'logIns'> {
  /** Fails when the state cannot be read. */
  readonly readState: () => Promise<unknown>
  /** Fails when nothing can be written to it. */
  readonly writeState: () => Promise<unknown>
}

/** A part that cannot answer anybody, and the reason, for logs. */
interface ReadinessProblem {
  readonly part: string
  readonly reason: string
}

/**
 * The obstacles that keep the service from answering its most frequent requests; none when it is
 * ready.
 */
export async function readReadiness({
  history,
  readState,
  writeState,
  logIns,
}: ReadinessDeps): Promise<ReadinessProblem[]> {
  const looks = await Promise.allSettled([history.assertReadable(), readState(), writeState()])
  const subjects = [
    'The current configuration cannot be read',
    'The state store cannot be read',
    'The state store cannot be written',
  ]
  const obstacles = looks.flatMap((look, n) =>
    look.status === 'rejected'
      ? [{ part: subjects[n] ?? '', reason: describeFault(look.reason) }]
      : [],
  )
  const reason = logIns.usersProblem()
  return reason === null ? obstacles : [...obstacles, { part: 'The users cannot be read', reason }]
}
