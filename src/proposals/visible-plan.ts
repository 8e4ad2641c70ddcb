import type { Plan } from '../builds/plan/plan-configuration.ts'
import type { Permissions } from '../security/permissions.ts'

/** The part of a plan that a caller may see: pipelines that may be viewed, and the rest to administrators. */
export function visiblePlan(plan: Plan, rights: Permissions): Plan {
  if (rights.isAdministrator) return plan
  const isVisible = ({ pipeline }: { readonly pipeline: string }) => rights.mayView(pipeline)
  const { touches } = plan
  return {
    ...plan,
    starts: plan.starts.filter(isVisible),
    stops: plan.stops.filter(isVisible),
    obstacles: plan.obstacles.filter(isVisible),
    touches: {
      agents: [],
      environments: [],
      pipelines: touches.pipelines.filter((pipeline) => rights.mayView(pipeline)),
      jobsRunning: touches.jobsRunning.filter((job) => rights.mayView(job.split('/', 1)[0] ?? '')),
    },
    permissions: [],
    willNotRun: plan.willNotRun.filter(
      ({ entity }) =>
        entity.startsWith('pipeline/') && rights.mayView(entity.slice('pipeline/'.length)),
    ),
  }
}
