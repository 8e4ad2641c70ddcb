import type { Principal } from '../../core/principal.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import type { Permissions } from '../../security/permissions.ts'
import { NO_EFFECTS, type Plan, type PlanDeps } from './plan-configuration.ts'

/** The effects that a caller may know of, with the number of the others. */
export interface ShownPlan extends Plan {
  readonly hidden: HiddenEffects
}

/** How many entries of each list are hidden. */
export type HiddenEffects = Readonly<
  Record<'changes' | 'starts' | 'stops' | 'obstacles' | 'touches' | 'willNotRun', number>
>

export const NOTHING_HIDDEN: HiddenEffects = {
  changes: 0,
  starts: 0,
  stops: 0,
  obstacles: 0,
  touches: 0,
  willNotRun: 0,
}

interface PlannedDocument {
  readonly plan: Plan
  /** Null where there is none. */
  readonly document: Uint8Array<ArrayBuffer> | null
}

/** The effects as a caller may know of them: those on what the caller may view, now or then. */
export async function planFor(
  { access, cache, configuration }: Pick<PlanDeps, 'access' | 'cache' | 'configuration'>,
  principal: Principal,
  { plan, document }: PlannedDocument,
): Promise<ShownPlan> {
  const before = configuration.read().configuration
  const rights = access.rightsIn(before, principal)
  if (rights.isAdministrator || !plan.valid || document === null) {
    return { ...plan, hidden: NOTHING_HIDDEN }
  }
  const after = (await cache.read(document)).configuration
  const sides = [rights, access.rightsIn(after, principal)]
  const sees = (entity: string) => sides.some((side) => mayViewEntity(side, entity))
  const seesPipeline = ({ pipeline }: { readonly pipeline: string }) => sees(`pipeline/${pipeline}`)
  const { touches } = plan
  const jobsRunning = touches.jobsRunning.filter((job) => sees(`pipeline/${job.split('/', 1)[0]}`))
  const pipelines = touches.pipelines.filter((pipeline) => seesPipeline({ pipeline }))
  const shown = {
    changes: plan.changes.filter(({ entity }) => sees(entity)),
    starts: plan.starts.filter(seesPipeline),
    stops: plan.stops.filter(seesPipeline),
    obstacles: plan.obstacles.filter(seesPipeline),
    willNotRun: plan.willNotRun.filter(({ entity }) => sees(entity)),
  }
  const permissions = access.changesBy(before, after, rights)
  return {
    ...plan,
    ...shown,
    touches: { ...NO_EFFECTS.touches, pipelines, jobsRunning },
    permissions,
    hidden: {
      changes: plan.changes.length - shown.changes.length,
      starts: plan.starts.length - shown.starts.length,
      stops: plan.stops.length - shown.stops.length,
      obstacles: plan.obstacles.length - shown.obstacles.length,
      touches: touches.pipelines.length - pipelines.length,
      willNotRun: plan.willNotRun.length - shown.willNotRun.length,
    },
  }
}

export function mayViewEntity(rights: Permissions, entity: string): boolean {
  const { kind, name } = splitEntity(entity)
  if (kind === 'pipeline') return rights.mayView(name)
  if (kind === 'group') return rights.administersGroup(name)
  return kind === 'template' && rights.administersTemplate(name)
}
