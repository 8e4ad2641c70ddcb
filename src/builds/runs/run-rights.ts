import type { Builds } from '../engine/builds.ts'
import type { JobInstance, PipelineInstance } from '../engine/documents.ts'
import type { PipelineRun } from '../engine/keys.ts'
import type { Principal } from '../../core/principal.ts'
import { nameKey } from '../../core/name-key.ts'
import { type Access, assertMay } from '../../configuration/access/permission.ts'
import type { RunGroups } from './run-groups.ts'

export interface RunRightsDeps {
  readonly access: Access
  readonly builds: Builds
  readonly runGroups: RunGroups
}

/**
 * Reads a run for a caller who may view the pipeline now and in each group that it was in during
 * the run: another pipeline may have the name now. Returns null when there is no such run.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function readViewableRun(
  deps: RunRightsDeps,
  principal: Principal,
  { pipeline, counter }: PipelineRun,
): Promise<PipelineInstance | null> {
  assertMay(deps.access, principal, { action: 'view-pipeline', pipeline })
  const run = await deps.builds.pipelineInstance({ pipeline, counter })
  if (run) {
    const groups = await deps.runGroups.of(run)
    assertMay(deps.access, principal, { action: 'view-run', pipeline, groups })
  }
  return run
}

/** The runs that the caller may view. */
export async function viewableRuns(
  deps: RunRightsDeps,
  principal: Principal,
  runs: readonly PipelineInstance[],
): Promise<PipelineInstance[]> {
  const judged = runs.map(async (run) => {
    const groups = await deps.runGroups.of(run)
    const may = deps.access.may(principal, { action: 'view-run', pipeline: run.name, groups })
    return may ? [run] : []
  })
  return (await Promise.all(judged)).flat()
}

interface OfRun {
  readonly pipelineName: string
  readonly pipelineCounter: number
}

function keyOf({ pipelineName, pipelineCounter }: OfRun): string {
  return `${nameKey(pipelineName)}/${pipelineCounter}`
}

/** The parts of runs that the caller may view. */
export async function viewableParts<Part>(
  deps: RunRightsDeps,
  principal: Principal,
  { parts, runOf }: { readonly parts: readonly Part[]; readonly runOf: (part: Part) => OfRun },
): Promise<Part[]> {
  if (deps.access.may(principal, { action: 'administer' })) return [...parts]
  const names = new Map(parts.map((part) => [keyOf(runOf(part)), runOf(part)]))
  const runs = await Promise.all(
    Array.from(names.values(), ({ pipelineName: pipeline, pipelineCounter: counter }) =>
      deps.builds.pipelineInstance({ pipeline, counter }),
    ),
  )
  const viewable = await viewableRuns(
    deps,
    principal,
    runs.flatMap((run) => run ?? []),
  )
  const keys = new Set(
    viewable.map(({ name, counter }) => keyOf({ pipelineName: name, pipelineCounter: counter })),
  )
  return parts.filter((part) => keys.has(keyOf(runOf(part))))
}

/** The jobs that the caller may view. */
export function viewableJobs(
  deps: RunRightsDeps,
  principal: Principal,
  jobs: readonly JobInstance[],
): Promise<JobInstance[]> {
  return viewableParts(deps, principal, { parts: jobs, runOf: (job) => job })
}

/**
 * @throws {ServiceError} `not-permitted`, or `not-authorized` for a cancel, unless the caller has
 * the permission in each group that the pipeline was in during the run.
 */
export async function assertMayActOnRun(
  deps: RunRightsDeps,
  principal: Principal,
  act: PipelineRun & { readonly action: 'operate-run' | 'cancel-run'; readonly stage: string },
): Promise<void> {
  const run = await deps.builds.pipelineInstance(act)
  if (!run) return
  const { action, pipeline, stage } = act
  const groups = await deps.runGroups.of(run)
  assertMay(deps.access, principal, { action, pipeline, stage, groups })
}
