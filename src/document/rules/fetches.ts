import { nameKey } from '../../core/name-key.ts'
import type { CancelTask, Job, Pipeline, Stage } from '../model/model.ts'
import { memoize } from '../../lib/memoize.ts'
import { quoting } from '../text/shown-text.ts'
import { dependenciesOf } from './dependencies.ts'
import type { Finding } from '../model/finding.ts'
import type { ReferenceRule, RuleContext } from './rule-context.ts'

type Fetch = Extract<CancelTask, { kind: 'fetchartifact' }>

/** A task that fetches an artifact, where it is. */
interface FetchSite {
  readonly fetch: Fetch
  readonly pipeline: Pipeline
  readonly stage: Stage
}

/** FET-1 and FET-2, for every pipeline with the stages it has after expansion. */
export const fetches: ReferenceRule = function* (pipeline, context): Generator<Finding> {
  for (const site of fetchSitesOf(pipeline)) {
    for (const message of complaints(site, context)) yield { at: site.fetch.at, message }
  }
}

/** Every task that fetches an artifact. */
export const fetchSitesOf = memoize((pipeline: Pipeline) => [...findFetches(pipeline)])

function* findFetches(pipeline: Pipeline): Generator<FetchSite> {
  for (const stage of pipeline.stages) {
    for (const task of stage.jobs.flatMap(({ tasks }) => tasks)) {
      for (const each of [task, task.onCancel]) {
        if (each?.kind === 'fetchartifact') yield { fetch: each, pipeline, stage }
      }
    }
  }
}

function* complaints(site: FetchSite, context: RuleContext): Generator<string> {
  const { srcFile, srcDir, external, stage, job } = site.fetch
  if (srcFile !== null && srcDir !== null) yield 'the fetched artifact has both srcfile and srcdir'
  if (srcFile === null && srcDir === null && !external) {
    yield 'the fetched artifact has neither srcfile nor srcdir'
  }
  if (stage.trim() === '') yield 'the fetched artifact names no stage'
  else if (job.trim() === '') yield 'the fetched artifact names no job'
  else yield* originOf(site, context)
}

function* originOf(site: FetchSite, context: RuleContext): Generator<string> {
  const { fetch, pipeline } = site
  const path = (fetch.pipeline ?? '').trim()
  const steps = path === '' ? [pipeline.name] : path.split('/').map((step) => step.trim())
  const origin = context.pipelinesByName.get(nameKey(steps[0] ?? ''))
  if (!origin) {
    yield quoting`the pipeline ${steps[0] ?? ''} that ${pipeline.name} fetches from does not exist`
    return
  }
  const missing = missingOrigin(origin, fetch, pipeline)
  if (missing !== null) yield missing
  else if (origin === pipeline && steps.length === 1) yield* fromOwn(site)
  else yield* fromAncestor(site, steps.toReversed(), context)
}

/** The stage and the job exist. Instances of a job may be named one by one. */
function missingOrigin(origin: Pipeline, { stage, job }: Fetch, { name }: Pipeline): string | null {
  const found = origin.stages.find((each) => nameKey(each.name) === nameKey(stage))
  if (!found) {
    return quoting`the stage ${stage} of the pipeline ${origin.name} that ${name} fetches from does not exist`
  }
  if (found.jobs.some((each) => isNamed(each, job))) return null
  return quoting`the job ${job} of the stage ${found.name} of the pipeline ${origin.name} that ${name} fetches from does not exist`
}

function isNamed({ name, runOnAllAgents, runInstanceCount }: Job, asked: string): boolean {
  const marker = runOnAllAgents ? 'runonall' : runInstanceCount === null ? null : 'runinstance'
  const key = nameKey(asked)
  if (key === nameKey(name)) return true
  if (marker === null || !key.startsWith(`${nameKey(name)}-${marker}-`)) return false
  return /-\d+$/.test(key)
}

/** FET-1 (3a): from the own pipeline only what an earlier stage has made. */
function* fromOwn({ fetch, pipeline, stage }: FetchSite): Generator<string> {
  if (indexOfStage(pipeline, fetch.stage) < indexOfStage(pipeline, stage.name)) return
  yield quoting`the stage ${fetch.stage} that the stage ${stage.name} of ${pipeline.name} fetches from is not an earlier one`
}

/** FET-1 (3b) and FET-2: by way of dependencies, up to the stage that the path depends on. */
function* fromAncestor(
  { fetch, pipeline }: FetchSite,
  nearestFirst: readonly string[],
  { pipelinesByName }: RuleContext,
): Generator<string> {
  let here = pipeline
  let dependsOn: string | null = null
  for (const step of nearestFirst) {
    const dependency = dependenciesOf(here).find((each) => nameKey(each.pipeline) === nameKey(step))
    const upstream = pipelinesByName.get(nameKey(step))
    if (!dependency || !upstream) {
      yield quoting`the pipeline ${step} that ${pipeline.name} fetches from is not upstream of ${here.name}`
      return
    }
    here = upstream
    dependsOn = dependency.stage
  }
  if (dependsOn !== null && indexOfStage(here, fetch.stage) > indexOfStage(here, dependsOn)) {
    yield quoting`the stage ${fetch.stage} of ${here.name} completes after the stage ${dependsOn} that ${pipeline.name} depends on`
  }
}

function indexOfStage({ stages }: Pipeline, name: string): number {
  return stages.findIndex((stage) => nameKey(stage.name) === nameKey(name))
}
