import { nameKey } from '../../core/name-key.ts'
import { materialIdentity } from '../../document/materials/identity.ts'
import type { Pipeline } from '../../document/model/model.ts'
import { shownMaterialName } from '../triggers/wanted-revisions.ts'
import type { PlannedObstacle } from './plan-obstacles.ts'

/** A pipeline that would run less by itself than now, or not at all. */
export interface PlannedStop {
  readonly pipeline: string
  readonly because: string
}

interface Side {
  readonly before: readonly Pipeline[]
  readonly after: readonly Pipeline[]
  readonly obstacles: Readonly<Record<'before' | 'after', readonly PlannedObstacle[]>>
}

/** The pipelines among some that lose their schedule, timer, a material or the agents of a job. */
export function findStops({ before, after, obstacles }: Side): readonly PlannedStop[] {
  const later = new Map(after.map((each) => [nameKey(each.name), each]))
  return before.flatMap((former) => {
    const pipeline = former.name
    const now = later.get(nameKey(pipeline))
    if (now === undefined) return [{ pipeline, because: 'it is removed' }]
    const reasons = [...lostTriggers(former, now), ...newObstacles(pipeline, obstacles)]
    return reasons.map((because) => ({ pipeline, because }))
  })
}

function lostTriggers(former: Pipeline, now: Pipeline): string[] {
  const identities = new Set(now.materials.map(materialIdentity))
  const lost = former.materials.filter((each) => !identities.has(materialIdentity(each)))
  return [
    ...(former.timer !== null && now.timer === null ? ['it loses its timer'] : []),
    ...(isManual(now) && !isManual(former) ? ['its first stage waits for somebody'] : []),
    ...lost.map((each) => `it loses the material ${shownMaterialName(each) ?? each.kind}`),
  ]
}

function isManual({ stages }: Pipeline): boolean {
  return stages[0]?.approval?.type === 'manual'
}

function newObstacles(pipeline: string, { before, after }: Side['obstacles']): string[] {
  const key = nameKey(pipeline)
  const own = (all: readonly PlannedObstacle[]) =>
    all.filter((each) => nameKey(each.pipeline) === key).map(({ because }) => because)
  const known = new Set(own(before))
  return own(after).filter((because) => !known.has(because))
}
