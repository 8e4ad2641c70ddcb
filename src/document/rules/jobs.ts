import { nameKey } from '../../core/name-key.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Artifact, Job, Pipeline, Stage, Template } from '../model/model.ts'
import { quoting, shorten } from '../text/shown-text.ts'
import { type Finding, repeats, repeatsInOtherCase } from '../model/finding.ts'
import { hasPathForm } from './paths.ts'
import type { OwnContext, PipelineRule, RuleContext, StageRule } from './rule-context.ts'

const MAX_INT = 2 ** 31 - 1

/** STG-1: stage names are unique in a pipeline or template, whatever their case. */
export function* stageNames({ written }: RuleContext): Generator<Finding> {
  for (const pipeline of written.groups.flatMap(({ pipelines }) => pipelines))
    yield* stagesTwiceInPipeline(pipeline)
  for (const template of written.templates) yield* stagesTwiceInTemplate(template)
}

const stagesTwiceInPipeline = memoize((pipeline: Pipeline) => stagesTwice('pipeline', pipeline))
const stagesTwiceInTemplate = memoize((template: Template) => stagesTwice('template', template))

function stagesTwice(owner: string, { name, stages }: Pipeline | Template): readonly Finding[] {
  const twice = [...repeats(stages, (stage) => nameKey(stage.name))]
  return twice.map(({ item }) => ({
    at: item.at,
    message: `the ${owner} "${shorten(name)}" has several stages named "${shorten(item.name)}"`,
  }))
}

/** JOB-1: job names of a stage differ by more than their case. */
export const jobNames: StageRule = function* ({ name, jobs }): Generator<Finding> {
  for (const { item, first } of repeatsInOtherCase(jobs)) {
    const message = quoting`the job ${item.name} of the stage ${name} is already defined as ${first.name}`
    yield { at: item.at, message }
  }
}

/** JOB-1: no job is named like an instance of another. */
export const instanceMarkers: StageRule = function* ({ jobs }): Generator<Finding> {
  for (const { at, name } of jobs) {
    const [, marker] = /-(runOnAll|runInstance)-\d+$/.exec(name) ?? []
    if (!marker) continue
    yield {
      at,
      message: `the job name "${shorten(name)}" ends like that of an instance, in "-${marker}-" and a number`,
    }
  }
}

/** JOB-3: one way of having instances; numbers that can be. */
export const jobNumbers: StageRule = function* ({ jobs }): Generator<Finding> {
  for (const { at, name, runOnAllAgents, runInstanceCount, timeout } of jobs) {
    if (runOnAllAgents && runInstanceCount !== null) {
      const message = quoting`the job ${name} runs on all agents and has a number of instances`
      yield { at, message }
    }
    if (runInstanceCount !== null && runInstanceCount > MAX_INT) {
      yield { at, message: quoting`the job ${name} has too many instances: ${runInstanceCount}` }
    }
    if (timeout !== null && timeout < 0) {
      yield { at, message: quoting`the timeout of the job ${name} is negative: ${timeout}` }
    }
    if (timeout === Infinity) {
      yield { at, message: quoting`the timeout of the job ${name} is not a finite number` }
    }
  }
}

/** JOB-4: what resources may be called once params are replaced. */
export const jobResources: PipelineRule = function* (pipeline): Generator<Finding> {
  for (const { stage, job } of jobsOf(pipeline)) {
    for (const { at, name } of job.resources) {
      if (name === '') {
        const message = quoting`a resource of the job ${job.name} in the stage ${stage.name} of the pipeline ${pipeline.name} is empty`
        yield { at, message }
      } else if (!hasResourceCharacters(name)) yield { at, message: unusable(name) }
    }
  }
}

/** JOB-4 in templates, where params are not replaced yet. */
export function* templateResources({ written: { templates } }: RuleContext): Generator<Finding> {
  const jobs = templates.flatMap(({ stages }) => stages.flatMap((stage) => stage.jobs))
  for (const { at, name } of jobs.flatMap(({ resources }) => resources)) {
    if (!hasResourceCharacters(name.replace(/[#{}]/g, ''))) yield { at, message: unusable(name) }
  }
}

export function hasResourceCharacters(name: string): boolean {
  return /^[-\w \t\n\v\f\r|.]*$/.test(name)
}

export function unusable(resource: string): string {
  return quoting`the resource ${resource} may have only letters, digits, spaces and -_.|`
}

function jobsOf({ stages }: Pipeline): { readonly stage: Stage; readonly job: Job }[] {
  return stages.flatMap((stage) => stage.jobs.map((job) => ({ stage, job })))
}

/** ART-1. */
export const artifacts: StageRule = function* ({ jobs }, context): Generator<Finding> {
  for (const { name, artifacts: all } of jobs) {
    const checked = all.filter(({ kind }) => kind !== 'external')
    for (const artifact of checked) yield* checkArtifact(artifact, name, context)
    for (const { item } of repeats(checked, identityOf)) {
      const message = quoting`the artifact ${item.src} is already in the job ${name}`
      yield { at: item.at, message }
    }
  }
}

function* checkArtifact(
  { at, src, dest }: Artifact,
  job: string,
  { replaced }: OwnContext,
): Generator<Finding> {
  if (src.trim() === '') {
    yield { at, message: quoting`an artifact of the job ${job} has an empty source` }
  }
  if (replaced.has(at) && dest !== null && dest.trim() !== '' && !hasPathForm(dest)) {
    yield { at, message: quoting`the destination ${dest} begins or ends with a dot or a space` }
  }
}

function identityOf({ kind, src, dest }: Artifact): string {
  return JSON.stringify([kind, src, dest ?? ''])
}

/** TAB-1. */
export const tabs: StageRule = function* ({ jobs }, { replaced }): Generator<Finding> {
  for (const { at, name, path } of jobs.flatMap((job) => job.tabs)) {
    if (!/^[a-zA-Z0-9_\-.]+$/.test(name)) {
      yield { at, message: quoting`the tab name ${name} may have only letters, digits and -_.` }
    }
    if (replaced.has(at) && !/^\S+$/.test(path)) {
      const message = quoting`the path ${path} of the tab ${name} is empty or has white space`
      yield { at, message }
    }
  }
}

/** PRP-1: a property is read by an expression from a file. */
export const jobProperties: StageRule = function* ({ jobs }): Generator<Finding> {
  for (const { at, name, src, xpath } of jobs.flatMap((job) => job.properties)) {
    if (src === '') yield { at, message: quoting`the property ${name} has no source` }
    if (xpath === '') yield { at, message: quoting`the property ${name} has no xpath` }
  }
}
