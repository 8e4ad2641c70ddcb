import type { Problem } from '../core/problem.ts'
import type { History, MaintenanceState } from '../history/history.ts'
import type { MaterialProblem } from './materials/material-poller.ts'
import type { Mirror, MirrorState } from './mirror/mirror.ts'
import type { WebhookState } from './webhooks/webhook.ts'

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
  /** The receivers that are told of revisions. */
  readonly webhooks: readonly WebhookState[]
  readonly problems: readonly HealthProblem[]
}

export interface HealthProblem {
  readonly subject: string
  readonly errors: readonly Problem[]
}

export interface HealthDeps {
  readonly history: History
  readonly mirror: Pick<Mirror, 'state' | 'problems'> | null
  readonly version: string
  /** What an operator should look at besides the configuration, in words. */
  readonly buildProblems: () => readonly string[]
  /** What is wrong with agents, in words. */
  readonly agentProblems: () => readonly string[]
  /** What a commit has changed that may not change while the server runs. */
  readonly identityProblems: () => readonly string[]
  /** The commits that have secrets in plain text. */
  readonly secretProblems: () => readonly HealthProblem[]
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
    auditProblem() ?? [],
    mirror?.problems() ?? [],
    buildProblems(),
    deps.agentProblems(),
    deps.identityProblems(),
  ].flat()
  const problems = [
    ...(problem ? [{ subject: problem.message, errors: problem.problems }] : []),
    ...history.unreadable().map(({ reason }) => ({ subject: reason, errors: [] })),
    ...told.map((subject) => ({ subject, errors: [] })),
    ...deps.secretProblems(),
    ...materialProblems().map(({ subject, errors }) => ({ subject, errors })),
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
    webhooks,
    problems,
  }
}

function webhookProblem({ name, lastError }: WebhookState): HealthProblem[] {
  if (lastError === null) return []
  return [{ subject: `The webhook ${name} takes no revisions: ${lastError}`, errors: [] }]
}
