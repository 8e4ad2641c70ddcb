import type { HealthProblem, ProblemKind, ServiceProblem } from '../core/health-problem.ts'
import type { SeenServers } from '../core/seen-server.ts'
import type { Principal } from '../core/principal.ts'
import type { History, MaintenanceState } from '../history/history.ts'
import type { ArtifactUse } from '../builds/artifacts/artifact-quota.ts'
import type { MaterialProblem } from '../builds/materials/material-poller.ts'
import type { Mirror, MirrorState } from '../notify/mirror/mirror.ts'
import type { Access } from '../configuration/access/permission.ts'
import type { WebhookState } from '../notify/webhooks/webhook.ts'
import { awayProblems, type UserSourceState } from '../core/user-source-state.ts'
import { describeFault } from '../core/faults.ts'

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

export interface HealthDeps {
  readonly history: History
  readonly mirror: Pick<Mirror, 'state' | 'problems'> | null
  readonly version: string
  /** Problems besides those of the configuration. */
  readonly buildProblems: () => readonly (string | HealthProblem)[]
  readonly artifactUse: () => ArtifactUse
  /** Problems with agents, as sentences. */
  readonly agentProblems: () => readonly string[]
  /** Facts that a commit changed although they must not change while the server runs. */
  readonly identityProblems: () => readonly string[]
  /** Whether those who have users elsewhere were there at the last log-in. */
  readonly userSources: () => readonly UserSourceState[]
  /** Why the local users cannot be read now, or null. */
  readonly usersProblem: () => string | null
  /** The commits that contain secrets in plain text. */
  readonly secretProblems: () => readonly HealthProblem[]
  /** The disks that are full. */
  readonly diskProblems: () => readonly string[]
  /** Why the database that servers share cannot be reached, as sentences. */
  readonly databaseProblems: () => readonly string[]
  /** The servers that share a database; null where there is one server. */
  readonly servers: () => SeenServers | null
  /** Servers that need a look, as sentences. */
  readonly serverProblems: () => readonly string[]
  /** How old what this server shows may be, as sentences. */
  readonly lagProblems: () => readonly string[]
  /** Why actions cannot be recorded, or null. */
  readonly auditProblem: () => string | null
  /** The materials that cannot be read. */
  readonly materialProblems: () => readonly MaterialProblem[]
  /** The jobs that no agent can take. */
  readonly stuckJobs: () => readonly HealthProblem[]
  /** The parts of the configuration that nobody acts on. */
  readonly unsupportedParts: () => readonly HealthProblem[]
  /** The stages that cannot start, whoever tries. */
  readonly strandedStages: () => readonly HealthProblem[]
  readonly webhooks: () => readonly WebhookState[]
}

export function readHealth(deps: HealthDeps): Health {
  const { history, mirror, version } = deps
  const { digest } = history.current()
  const webhooks = deps.webhooks()
  const problems = problemsOf(deps, webhooks)
  return {
    status: problems.length > 0 ? 'degraded' : 'ok',
    version,
    revisions: history.size(),
    current: digest,
    repository: history.storage(),
    mirror: mirror?.state() ?? null,
    artifacts: deps.artifactUse(),
    webhooks,
    servers: deps.servers(),
    problems,
  }
}

function problemsOf(
  deps: HealthDeps,
  webhooks: readonly WebhookState[],
): readonly ServiceProblem[] {
  const { history, mirror } = deps
  const problem = history.problem()
  return [
    ...(problem
      ? [{ kind: problem.kind, subject: problem.message, errors: problem.problems }]
      : []),
    ...ofKind(
      'revision',
      history.unreadable().map(({ reason }) => reason),
    ),
    ...ofKind('disk', deps.diskProblems()),
    ...ofKind('database', deps.databaseProblems()),
    ...ofKind('servers', deps.serverProblems()),
    ...ofKind('lag', deps.lagProblems()),
    ...ofKind('audit', [deps.auditProblem() ?? []].flat()),
    ...ofKind('mirror', mirror?.problems() ?? []),
    ...ofKind('builds', deps.buildProblems()),
    ...ofKind('agents', deps.agentProblems()),
    ...ofKind('identity', deps.identityProblems()),
    ...ofKind('log-in', [deps.usersProblem() ?? [], awayProblems(deps.userSources())].flat()),
    ...ofKind('secrets', deps.secretProblems()),
    ...ofKind('material', deps.materialProblems()),
    ...ofKind('stuck-jobs', deps.stuckJobs()),
    ...ofKind('unsupported', deps.unsupportedParts()),
    ...ofKind('stranded-stages', deps.strandedStages()),
    ...ofKind('webhook', webhooks.flatMap(webhookProblem)),
  ]
}

function ofKind(
  kind: ProblemKind,
  problems: readonly (string | HealthProblem)[],
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
    ({ pipelines = [] }) =>
      pipelines.length > 0 &&
      pipelines.every((pipeline) => access.may(principal, { action: 'view-pipeline', pipeline })),
  )
}

function webhookProblem({ name, lastError }: WebhookState): string[] {
  return lastError === null ? [] : [`The webhook ${name} takes no revisions: ${lastError}`]
}

export interface ReadinessDeps extends Pick<HealthDeps, 'history' | 'usersProblem'> {
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
  usersProblem,
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
  const reason = usersProblem()
  return reason === null ? obstacles : [...obstacles, { part: 'The users cannot be read', reason }]
}
