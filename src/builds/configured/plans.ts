import type { RunConfiguration } from '../engine/documents.ts'
import type { JobPlacement, JobPlan, PipelinePlan, Plans, StagePlan } from '../engine/plan.ts'
import type { Job, Stage, Variable } from '../../document/model/model.ts'
import { neededResources } from '../../document/unsupported/elastic-resource.ts'
import { findSecretReferences } from '../../document/secrets/secret-reference.ts'
import type { AgentOffer, JobSpread } from '../../core/builds/assignment.ts'
import { type Candidate, explainWait } from '../../core/builds/waiting.ts'
import { nameKey } from '../../core/name-key.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import type { KnownAgent } from '../../agents/known-agent.ts'
import type { EffectivePipeline, EffectivePipelines } from './effective-pipelines.ts'

/** The facts that scheduling needs, from the configuration in force and the current agents. */
export class ConfiguredPlans implements Plans {
  readonly #pipelines: EffectivePipelines
  readonly #directory: AgentDirectory
  #plans = new Map<string, PipelinePlan>()

  constructor(options: { pipelines: EffectivePipelines; directory: AgentDirectory }) {
    this.#pipelines = options.pipelines
    this.#directory = options.directory
    options.pipelines.onChange(() => (this.#plans = new Map()))
  }

  configuration(): RunConfiguration {
    const { digest, commit } = this.#pipelines.revision
    return { digest, commit }
  }

  pipelinePlan(name: string): PipelinePlan | null {
    const key = nameKey(name)
    const cached = this.#plans.get(key)
    if (cached) return cached
    const found = this.#pipelines.find(key)
    if (!found) return null
    const plan = pipelinePlanOf(found)
    this.#plans.set(key, plan)
    return plan
  }

  environmentsOf(pipeline: string): readonly string[] {
    return this.#pipelines.environmentsOf(pipeline).map(({ name }) => name)
  }

  agents(): readonly AgentOffer[] {
    return this.#directory.list().filter(isLive).map(offerOf)
  }

  whyNoAgent(need: JobPlacement): string {
    return explainWait({ ...need, pinnedTo: null }, candidatesIn(this.#directory)).reason
  }
}

/** Whether an agent is enabled and has contacted the server recently. */
function isLive({ condition: { configStatus, runtimeStatus } }: KnownAgent): boolean {
  return (
    configStatus === 'Enabled' && runtimeStatus !== 'LostContact' && runtimeStatus !== 'Missing'
  )
}

/** The configured and the connected agents, as far as a waiting job needs them. */
export function candidatesIn(directory: Pick<AgentDirectory, 'list'>): Candidate[] {
  return directory.list().map((agent) => ({ ...offerOf(agent), condition: agent.condition }))
}

export function offerOf({ uuid, configured }: KnownAgent): AgentOffer {
  return {
    uuid,
    resources: configured?.resources ?? [],
    environments: configured?.environments ?? [],
  }
}

export function pipelinePlanOf({ group, pipeline }: EffectivePipeline): PipelinePlan {
  const { name, template, label, isLocked, unlocksWhenFinished, variables, stages } = pipeline
  return {
    name,
    group,
    template,
    labelTemplate: label,
    labelVariables: new Map(variables.flatMap(plainVariable)),
    locking: isLocked,
    unlocksWhenFinished,
    stages: stages.map(stagePlanOf),
  }
}

function plainVariable({ name, secure, value }: Variable): [string, string][] {
  if (secure || value === null || findSecretReferences(value).length > 0) return []
  return [[name, value]]
}

function stagePlanOf({ name, approval, jobs }: Stage): StagePlan {
  return {
    name,
    approvalType: approval?.type ?? 'success',
    allowOnlyOnSuccess: approval?.allowOnlyOnSuccess ?? false,
    jobs: jobs.map(jobPlanOf),
  }
}

function jobPlanOf(job: Job): JobPlan {
  return { name: job.name, resources: neededResources(job), spread: spreadOf(job) }
}

function spreadOf({ runOnAllAgents, runInstanceCount }: Job): JobSpread {
  if (runOnAllAgents) return { type: 'on-all' }
  if (runInstanceCount === null || runInstanceCount < 1) return { type: 'one' }
  return { type: 'instances', count: runInstanceCount }
}
