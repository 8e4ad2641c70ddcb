import { isDeepStrictEqual } from 'node:util'
import {
  ACTIVE_STAGE,
  AGENT_JOB,
  JOB,
  QUEUED_JOB,
  STAGE,
  type JobInstance,
  type StageInstance,
} from '../../../src/builds/engine/documents.ts'
import { idsIn } from '../../../src/builds/engine/id-ranges.ts'
import type { StateReader } from '../../../src/state/documents.ts'
import { isOnAgent } from '../../../src/core/builds/job.ts'
import { isActive, tallyOf } from '../../../src/core/builds/stage.ts'

/** Finds data in the builds of a store that does not agree with its jobs. */
export async function buildProblems(store: StateReader): Promise<string[]> {
  const jobs = (await store.list(JOB)).map(({ value }) => value)
  const stages = (await store.list(STAGE)).map(({ value }) => value)
  const queued = (await store.list(QUEUED_JOB)).map(({ value }) => value.id)
  const onAgents = (await store.list(AGENT_JOB)).map(({ value }) => value.jobId)
  const active = (await store.list(ACTIVE_STAGE)).map(({ value }) => value)
  const transitions = jobs.flatMap((job) => job.transitions.map(({ id }) => id))
  return [
    ...difference('queue', queued, idsOf(jobs.filter(({ state }) => state === 'Scheduled'))),
    ...difference('agents', onAgents, idsOf(jobs.filter(isOnAgent))),
    ...difference(
      'active stages',
      active,
      stages.filter(({ tally }) => isActive(tally)).map(keyOf),
    ),
    ...(new Set(transitions).size === transitions.length ? [] : ['a transition id is given twice']),
    ...jobs.flatMap(disorder),
    ...stages.flatMap((stage) => stageProblems(stage, jobs)),
  ]
}

function stageProblems(stage: StageInstance, all: readonly JobInstance[]): string[] {
  const mine = all.filter((job) => job.state !== 'Rescheduled' && isOf(job, stage))
  const tally = tallyOf(mine)
  return [
    ...difference(`jobs of ${keyOf(stage)}`, idsIn(stage.jobs), idsOf(mine)),
    ...(isDeepStrictEqual(tally, stage.tally) ? [] : [`tally of ${keyOf(stage)}`]),
  ]
}

function disorder(job: JobInstance): string[] {
  const ids = job.transitions.map(({ id }) => id)
  const ordered = ids.every((id, index) => id > (ids[index - 1] ?? 0))
  const last = job.transitions.at(-1)?.state
  return ordered && last === job.state ? [] : [`the transitions of job ${job.id}`]
}

function isOf(job: JobInstance, stage: StageInstance): boolean {
  const { pipelineName, pipelineCounter, stageName, stageCounter } = job
  return keyOf(stage) === `${pipelineName}/${pipelineCounter}/${stageName}/${stageCounter}`
}

function keyOf({ pipelineName, pipelineCounter, name, counter }: StageInstance): string {
  return `${pipelineName}/${pipelineCounter}/${name}/${counter}`
}

function idsOf(jobs: readonly JobInstance[]): number[] {
  return jobs.map(({ id }) => id)
}

function difference<Item>(what: string, has: readonly Item[], should: readonly Item[]): string[] {
  const [a, b] = [has.map(String).toSorted().join(), should.map(String).toSorted().join()]
  return a === b ? [] : [`${what}: has ${a}, should have ${b}`]
}
