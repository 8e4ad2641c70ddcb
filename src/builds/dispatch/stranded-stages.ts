import type { AgentDirectory } from '../../agents/agent-directory.ts'
import { explainWait, type PlacedNeed } from '../../core/builds/waiting.ts'
import type { HealthProblem } from '../../core/service/health-problem.ts'
import { memberTextOf } from '../../document/model/member-text.ts'
import type { Pipeline } from '../../document/model/model.ts'
import { neededResources } from '../../document/unsupported/elastic-resource.ts'
import type { Clock } from '../../lib/clock.ts'
import type { StageName } from '../engine/keys.ts'
import { strandedText } from '../engine/stage-jobs.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'
import { candidatesIn } from '../configured/plans.ts'
import { NOTICED_AFTER_MS } from './waiting-jobs.ts'
import { addToGroup } from '../../lib/grouping.ts'

export interface StrandedStagesOptions {
  readonly pipelines: Pick<EffectivePipelines, 'list' | 'environmentsOf' | 'onChange'>
  readonly directory: Pick<AgentDirectory, 'list'>
  readonly clock: Clock
}

/** A job that may keep its stage from starting. */
interface Site extends StageName {
  readonly job: string
}

/**
 * Groups jobs with the same needs: in a document with thousands of jobs, each need is checked once.
 */
interface SiteGroup {
  readonly need: PlacedNeed
  readonly sites: Site[]
}

/** Sites of one group, and why they cannot start. */
interface Stranded extends Pick<SiteGroup, 'sites'> {
  readonly reason: string
}

/** Finds the stages that cannot start, as a job of theirs that runs on all agents has none. */
export class StrandedStages {
  readonly #options: StrandedStagesOptions
  readonly #startedAt: number
  #groups: readonly SiteGroup[] | null = null

  constructor(options: StrandedStagesOptions) {
    this.#options = options
    this.#startedAt = options.clock()
    options.pipelines.onChange(() => (this.#groups = null))
  }

  problems(): readonly HealthProblem[] {
    return this.#stranded().map((stranded) => ({
      subject: subjectOf(stranded),
      errors: [{ message: messageOf(stranded) }],
      pipelines: [...new Set(stranded.sites.map(({ pipeline }) => pipeline))],
    }))
  }

  /** Sentences about the stages of each pipeline that has one, by its name. */
  byPipeline(): ReadonlyMap<string, readonly string[]> {
    const sentences = new Map<string, string[]>()
    for (const { reason, sites } of this.#stranded()) {
      for (const site of sites) {
        const alone = { reason, sites: [site] }
        addToGroup(sentences, site.pipeline, `${subjectOf(alone)}: ${messageOf(alone)}`)
      }
    }
    return sentences
  }

  #stranded(): readonly Stranded[] {
    const { pipelines, directory, clock } = this.#options
    this.#groups ??= groupSites(pipelines)
    if (this.#groups.length === 0) return []
    const candidates = candidatesIn(directory)
    // Missing agents may connect soon; a resource that no agent has will not appear.
    const isEarly = clock() - this.#startedAt < NOTICED_AFTER_MS
    return this.#groups.flatMap(({ need, sites }) => {
      const { isUnsuited, isStuck, reason } = explainWait(need, candidates)
      return isUnsuited || (isStuck && !isEarly) ? [{ reason, sites }] : []
    })
  }
}

function groupSites(pipelines: StrandedStagesOptions['pipelines']): readonly SiteGroup[] {
  const groups = new Map<string, SiteGroup>()
  const add = (need: PlacedNeed, site: Site) => {
    const key = JSON.stringify(need)
    const group = groups.get(key)
    if (group) group.sites.push(site)
    else groups.set(key, { need, sites: [site] })
  }
  for (const { pipeline } of pipelines.list()) {
    const { name } = pipeline
    for (const { stage, job } of jobsOnAll(pipeline)) {
      const environments = pipelines.environmentsOf(name).map((each) => each.name)
      const resources = neededResources(job)
      const need = { resources, environments, pinnedTo: null }
      add(need, { pipeline: name, stage: stage.name, job: job.name })
    }
  }
  return [...groups.values()]
}

function jobsOnAll(pipeline: Pipeline) {
  if (memberTextOf(pipeline)?.facts.hasJobOnAllAgents === false) return []
  return pipeline.stages.flatMap((stage) =>
    stage.jobs.filter(({ runOnAllAgents }) => runOnAllAgents).map((job) => ({ stage, job })),
  )
}

function subjectOf({ sites }: Pick<Stranded, 'sites'>): string {
  const [first] = sites
  if (!first) return ''
  const name = `stage ${first.stage} of the pipeline ${first.pipeline}`
  if (sites.length === 1) return `The ${name} cannot start`
  return `${sites.length} stages cannot start, such as the ${name}`
}

function messageOf({ sites, reason }: Stranded): string {
  return strandedText(sites[0]?.job ?? '', reason)
}
