import { A_CONFIGURATION } from './build-facts.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BuildEvent } from '../../../src/builds/engine/event.ts'
import { BUILD_KINDS, type JobInstance } from '../../../src/builds/engine/documents.ts'
import { Builds } from '../../../src/builds/engine/builds.ts'
import type { JobPlan, PipelinePlan, StagePlan } from '../../../src/builds/engine/plan.ts'
import type { AgentOffer } from '../../../src/core/builds/assignment.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { buildProblems } from './build-problems.ts'
import type { StateStore } from '../../../src/state/state-store.ts'

export function aJob(facts: Partial<JobPlan> = {}): JobPlan {
  return { name: 'unit', resources: [], spread: { type: 'one' }, ...facts }
}

export function aStage(facts: Partial<StagePlan> = {}): StagePlan {
  const plan = { name: 'test', approvalType: 'success', allowOnlyOnSuccess: false } as const
  return { ...plan, jobs: [aJob()], ...facts }
}

export function aPipeline(facts: Partial<PipelinePlan> = {}): PipelinePlan {
  return {
    name: 'app',
    group: 'first',
    template: null,
    labelTemplate: '${COUNT}',
    labelVariables: new Map(),
    locking: false,
    unlocksWhenFinished: false,
    stages: [aStage()],
    ...facts,
  }
}

export function anAgent(uuid: string, facts: Partial<AgentOffer> = {}): AgentOffer {
  return { uuid, resources: [], environments: [], ...facts }
}

/** Builds on a real store in a temporary folder, with a configuration that a test changes at will. */
export class BuildsWorld implements AsyncDisposable {
  pipelines: PipelinePlan[]
  agents: AgentOffer[] = []
  environments = new Map<string, readonly string[]>()
  events: BuildEvent[] = []
  readonly #folder: string
  #now = 1_000
  #opened: { readonly store: StateStore; readonly builds: Builds } | null = null

  private constructor(pipelines: readonly PipelinePlan[]) {
    this.pipelines = [...pipelines]
    this.#folder = mkdtempSync(join(tmpdir(), 'cairn-builds-'))
  }

  static async open(...pipelines: readonly PipelinePlan[]): Promise<BuildsWorld> {
    const world = new BuildsWorld(pipelines)
    await world.#start()
    return world
  }

  get builds(): Builds {
    if (!this.#opened) throw new Error('the world is closed')
    return this.#opened.builds
  }

  /** Ends the server and starts it again on the same store. */
  async restart(): Promise<void> {
    await this.#opened?.store[Symbol.asyncDispose]()
    await this.#start()
  }

  /** The faults of the store. */
  async problems(): Promise<readonly string[]> {
    if (!this.#opened) return ['the world is closed']
    const { store } = this.#opened
    return [...(await store.check(BUILD_KINDS)), ...(await buildProblems(store))]
  }

  schedule(pipeline = 'app', approvedBy = 'changes') {
    return this.builds.schedulePipeline({ pipeline, approvedBy, revisions: [] })
  }

  /** Lets an agent take its next job and report it to the end. */
  async build(agent: AgentOffer, result: 'Passed' | 'Failed' = 'Passed'): Promise<JobInstance> {
    const job = await this.builds.assignWork(agent)
    if (!job) throw new Error(`no work for ${agent.uuid}`)
    const told = { agentUuid: agent.uuid, jobId: job.id }
    await this.builds.reportJob({ ...told, report: { state: 'Preparing' } })
    await this.builds.reportJob({ ...told, report: { state: 'Building' } })
    await this.builds.reportJob({ ...told, report: { state: 'Completing', result } })
    return this.builds.reportJob({ ...told, report: { state: 'Completed', result } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened?.store[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true })
  }

  async #start(): Promise<void> {
    const store = await openSqliteState(join(this.#folder, 'state.db'))
    const builds = await Builds.open({
      store,
      clock: () => (this.#now += 1),
      plans: {
        configuration: () => A_CONFIGURATION,
        pipelinePlan: (name) =>
          this.pipelines.find((plan) => plan.name.toLowerCase() === name.toLowerCase()) ?? null,
        environmentsOf: (name) => this.environments.get(name) ?? [],
        agents: () => this.agents,
        whyNoAgent: () => 'none is at work',
      },
    })
    builds.onEvent((event) => this.events.push(event))
    this.#opened = { store, builds }
  }
}
