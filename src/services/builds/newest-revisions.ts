import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Builds } from '../../builds/builds.ts'
import type { MaterialRevision } from '../../builds/documents.ts'
import { materialFingerprint } from '../../config/material-fingerprint.ts'
import type { DependencyMaterial, GitMaterial, Material } from '../../config/model.ts'
import { ServiceError } from '../../core/errors.ts'
import type { EffectivePipelines } from './effective-pipelines.ts'

const run = promisify(execFile)
const WITHIN = 60_000

export interface NewestRevisionsDeps {
  readonly builds: Builds
  readonly pipelines: EffectivePipelines
}

/**
 * Asks each material of a pipeline for what is newest in it now.
 *
 * @throws {ServiceError} `not-schedulable` when one cannot be asked, or has nothing.
 */
export async function newestRevisions(
  deps: NewestRevisionsDeps,
  pipeline: string,
): Promise<readonly MaterialRevision[]> {
  const materials = deps.pipelines.find(pipeline)?.pipeline.materials ?? []
  return Promise.all(
    materials.map(async (material) => {
      const revision = await newestOf(deps, material)
      if (revision === null) throw unreadable(pipeline, material)
      const name = 'name' in material ? material.name : null
      return { fingerprint: materialFingerprint(material), name, revision }
    }),
  )
}

function newestOf({ builds }: NewestRevisionsDeps, material: Material): Promise<string | null> {
  if (material.kind === 'git') return newestCommit(material)
  if (material.kind === 'dependency') return newestPassed(builds, material)
  return Promise.resolve(null)
}

async function newestCommit({ url, branch }: GitMaterial): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['ls-remote', '--', url, `refs/heads/${branch}`], {
      timeout: WITHIN,
    })
    return /^[0-9a-f]{40,64}/.exec(stdout)?.[0] ?? null
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}

async function newestPassed(
  builds: Builds,
  { pipeline, stage }: DependencyMaterial,
): Promise<string | null> {
  const { items } = await builds.stageHistory({ pipeline, stage }, 0)
  const passed = items.find(({ result }) => result === 'Passed')?.stage
  if (!passed) return null
  const { pipelineName, pipelineCounter, name, counter } = passed
  return `${pipelineName}/${pipelineCounter}/${name}/${counter}`
}

function unreadable(pipeline: string, { kind }: Material): ServiceError {
  const reason = `its ${kind} material has no revision that could be read`
  const message = `The pipeline ${pipeline} cannot start: ${reason}`
  return new ServiceError('not-schedulable', message, { pipeline, stage: '', reason })
}
