import type { HealthProblem } from '../core/health-problem.ts'
import type { Principal } from '../core/principal.ts'
import type { History, MaintenanceState } from '../history/history.ts'
import type { ArtifactUse } from '../builds/artifacts/artifact-quota.ts'
import type { MaterialProblem } from '../builds/materials/material-poller.ts'
import type { Mirror, MirrorState } from '../notify/mirror/mirror.ts'
import type { Access } from '../configuration/access/permission.ts'
import type { WebhookState } from '../notify/webhooks/webhook.ts'

/** Whether the service can serve, and everything that an operator should look at. */
export interface Health {
  readonly status: 'ok' | 'degraded'
  readonly version: string
  readonly revisions: number
  readonly current: string
  /** How the repository lies on disk; null until it was looked at. */
  readonly repository: MaintenanceState | null
  /** The repository that every revision is pushed to, or null where there is none. */
  readonly mirror: MirrorState | null
  /** How much consoles and artifacts of jobs take, and may take. */
  readonly artifacts: ArtifactUse
  /** The receivers that are told of revisions. */
  readonly webhooks: readonly WebhookState[]
  readonly problems: readonly HealthProblem[]
}

/** What anybody may know of the service: numbers, and no word of what is configured. */
export interface HealthSummary {
  readonly status: Health['status']
  readonly version: string
  readonly revisions: number
  readonly problemCount: number
  /** Revisions that the mirror has not, and for how many seconds; null where there is no mirror. */
  readonly mirror: Pick<MirrorState, 'behind' | 'seconds'> | null
}

export interface HealthDeps {
  readonly history: History
  readonly mirror: Pick<Mirror, 'state' | 'problems'> | null
  readonly version: string
  /** What an operator should look at besides the configuration. */
  readonly buildProblems: () => readonly (string | HealthProblem)[]
  readonly artifactUse: () => ArtifactUse
  /** What is wrong with agents, in words. */
  readonly agentProblems: () => readonly string[]
  /** What a commit has changed that may not change while the server runs. */
  readonly identityProblems: () => readonly string[]
  /** The commits that have secrets in plain text. */
  readonly secretProblems: () => readonly HealthProblem[]
  /** The disks that are full. */
  readonly diskProblems: () => readonly string[]
  /** What keeps actions from being noted, or null. */
  readonly auditProblem: () => string | null
  /** The materials that cannot be read. */
  readonly materialProblems: () => readonly MaterialProblem[]
  /** The jobs that no agent can take. */
  readonly stuckJobs: () => readonly HealthProblem[]
  readonly webhooks: () => readonly WebhookState[]
}

export function readHealth(deps: HealthDeps): Health {
  const { history, mirror, version, auditProblem, buildProblems, materialProblems } = deps
  const problem = history.problem()
  const { digest } = history.current()
  const webhooks = deps.webhooks()
  const told = [
    deps.diskProblems(),
    auditProblem() ?? [],
    mirror?.problems() ?? [],
    buildProblems(),
    deps.agentProblems(),
    deps.identityProblems(),
  ].flat()
  const problems = [
    ...(problem ? [{ subject: problem.message, errors: problem.problems }] : []),
    ...history.unreadable().map(({ reason }) => ({ subject: reason, errors: [] })),
    ...told.map((each) => (typeof each === 'string' ? { subject: each, errors: [] } : each)),
    ...deps.secretProblems(),
    ...materialProblems(),
    ...deps.stuckJobs(),
    ...webhooks.flatMap(webhookProblem),
  ]
  return {
    status: problems.length > 0 ? 'degraded' : 'ok',
    version,
    revisions: history.size(),
    current: digest,
    repository: history.storage(),
    mirror: mirror?.state() ?? null,
    artifacts: deps.artifactUse(),
    webhooks,
    problems,
  }
}

/** The numbers of it. */
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

/** Those of the problems that a caller may know of. */
export function visibleProblems(
  access: Access,
  principal: Principal,
  problems: readonly HealthProblem[],
): readonly HealthProblem[] {
  if (access.may(principal, { action: 'administer' })) {
    return problems.map((each) => ({ ...each, errors: each.errorsInFull ?? each.errors }))
  }
  return problems.filter(({ pipelines = [] }) => {
    const may = pipelines.map((pipeline) =>
      access.may(principal, { action: 'view-pipeline', pipeline }),
    )
    return may.length > 0 && may.every(Boolean)
  })
}

function webhookProblem({ name, lastError }: WebhookState): HealthProblem[] {
  if (lastError === null) return []
  return [{ subject: `The webhook ${name} takes no revisions: ${lastError}`, errors: [] }]
}
