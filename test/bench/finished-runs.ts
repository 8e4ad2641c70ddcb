import { A_CONFIGURATION } from '../support/builds/build-facts.ts'
import { JOB, type JobInstance, PIPELINE, STAGE } from '../../src/builds/engine/documents.ts'
import {
  agentList,
  jobKey,
  pipelineKey,
  pipelineList,
  stageKey,
  stageList,
} from '../../src/builds/engine/keys.ts'
import { JobState } from '../../src/core/builds/job.ts'
import { CommitSha } from '../../src/core/revision.ts'
import { tallyOf } from '../../src/core/builds/stage.ts'
import type { StateStore } from '../../src/state/state-store.ts'

export const STAGE_OF_RUNS = { pipeline: 'app', stage: 'test' }
export const AGENT_OF_RUNS = 'a1'
const CHUNK = 1000

interface FinishedRuns {
  readonly pipeline?: string
  /** The commit of the configuration of each run, first that of the first one. */
  readonly commits?: readonly string[]
}

/** Finished runs of one stage, all by one agent, written as the engine leaves them. */
export async function fillWithRuns(
  store: StateStore,
  count: number,
  { pipeline = STAGE_OF_RUNS.pipeline, commits = [] }: FinishedRuns = {},
): Promise<void> {
  const stageName = { ...STAGE_OF_RUNS, pipeline }
  const configurationOf = (id: number) => {
    const commit = CommitSha.safeParse(commits[id - 1])
    return commit.success ? { ...A_CONFIGURATION, commit: commit.data } : A_CONFIGURATION
  }
  for (let first = 1; first <= count; first += CHUNK) {
    await store.change(async (tx) => {
      for (let id = first; id < first + CHUNK; id += 1) {
        const job = { ...aFinishedJob(id), pipelineName: pipeline }
        const configuration = configurationOf(id)
        const pipelineRun = { ...aPipelineRun(id), name: pipeline, pipeline, configuration }
        await tx.put(JOB, jobKey(id), job)
        await tx.append(agentList(AGENT_OF_RUNS), jobKey(id))
        const run = { pipelineCounter: id, stageCounter: 1 }
        const key = stageKey({ ...stageName, ...run })
        await tx.put(STAGE, key, {
          id,
          pipelineName: pipeline,
          pipelineCounter: id,
          name: 'test',
          counter: 1,
          approvalType: 'success',
          approvedBy: 'changes',
          createdAt: id,
          rerunOfCounter: null,
          cancelledBy: null,
          configuration,
          entities: [],
          isAsThen: false,
          passedBefore: id === 1 ? null : { pipelineCounter: id - 1, stageCounter: 1 },
          jobs: [[id, id]],
          tally: tallyOf([job]),
        })
        await tx.append(stageList(stageName), key)
        await tx.put(PIPELINE, pipelineKey(pipelineRun), pipelineRun)
        await tx.append(pipelineList(pipeline), pipelineKey(pipelineRun))
      }
    })
  }
}

function aFinishedJob(id: number): JobInstance {
  const states = JobState.options.filter((state) => state !== 'Rescheduled')
  return {
    id,
    name: 'unit',
    planName: 'unit',
    pipelineName: 'app',
    pipelineCounter: id,
    stageName: 'test',
    stageCounter: 1,
    state: 'Completed',
    result: 'Passed',
    agentUuid: AGENT_OF_RUNS,
    scheduledDate: id,
    transitions: states.map((state, index) => ({ id: id * 10 + index, state, time: id })),
    rerun: false,
    originalJobId: null,
    resources: [],
    pinnedTo: null,
    ranOn: null,
  }
}

function aPipelineRun(counter: number) {
  return {
    id: counter,
    name: 'app',
    pipeline: 'app',
    counter,
    label: String(counter),
    approvedBy: 'changes',
    createdAt: counter,
    revisions: [],
    variables: [],
    stages: [{ name: 'test', counter: 1 }],
    blocked: null,
    configuration: A_CONFIGURATION,
    former: null,
    groups: ['first'],
  }
}
