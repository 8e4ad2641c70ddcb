import { nameKey } from '../../core/name-key.ts'
import { ParamResolver } from './params.ts'
import { resolvePipeline } from './resolve-pipeline.ts'
import type { At, Configuration, Pipeline, PipelineGroup, Template } from '../model/model.ts'
import { memberTextOf } from '../model/member-text.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Finding } from '../model/finding.ts'

/** The effective configuration, and the problems of computing it. */
export interface Expansion {
  /** Pipelines have the stages of their templates, and params are replaced. */
  readonly configuration: Configuration
  readonly findings: readonly Finding[]
  /** The elements in which params were replaced, so that their texts have a form to be checked. */
  readonly replaced: ReadonlySet<At>
}

const expansions = new WeakMap<Configuration, Expansion>()

/**
 * Expands templates and params: what is scheduled, and what most rules are about. Everything keeps
 * the place it was written at, so the stages of a pipeline that uses a template are in the
 * template. One pipeline in each step; the result is cached with its configuration.
 */
export function* expandConfiguration(configuration: Configuration): Generator<void, Expansion> {
  const expansion = expansions.get(configuration) ?? (yield* expand(configuration))
  expansions.set(configuration, expansion)
  return expansion
}

function* expand(configuration: Configuration): Generator<void, Expansion> {
  const templates = new Map(configuration.templates.map((each) => [nameKey(each.name), each]))
  const expanded: ExpandedPipeline[] = []
  const groups: PipelineGroup[] = []
  for (const group of configuration.groups) {
    const pipelines: Pipeline[] = []
    for (const written of group.pipelines) {
      const each = isOwnExpansion(written) ? null : expandPipeline(written, templates)
      if (each !== null && each.replaced.length > 0) expanded.push(each)
      pipelines.push(each?.pipeline ?? written)
      yield
    }
    groups.push({ ...group, pipelines })
  }
  return {
    configuration: { ...configuration, groups },
    findings: expanded.flatMap(({ findings }) => findings),
    replaced: new Set(expanded.flatMap(({ replaced }) => replaced)),
  }
}

interface ExpandedPipeline {
  readonly pipeline: Pipeline
  readonly findings: readonly Finding[]
  readonly replaced: readonly At[]
}

/** Whether it is known of a pipeline that it has its own stages and no params, so that there is nothing to expand. */
function isOwnExpansion(pipeline: Pipeline): boolean {
  return pipeline.template === null && memberTextOf(pipeline)?.mentionsParams === false
}

function expandPipeline(
  pipeline: Pipeline,
  templates: ReadonlyMap<string, Template>,
): ExpandedPipeline {
  if (pipeline.template === null || pipeline.stages.length > 0) return resolved(pipeline)
  const template = templates.get(nameKey(pipeline.template))
  return template ? usersOf(template)(pipeline) : resolved(pipeline)
}

/** The pipelines that have the stages of a template. */
const usersOf = memoize(({ stages }: Template) =>
  memoize((pipeline: Pipeline) => resolve({ ...pipeline, stages })),
)

const resolved = memoize(resolve)

/** A pipeline in which there is nothing to replace stays the one it is. */
function resolve(pipeline: Pipeline): ExpandedPipeline {
  const params = new ParamResolver(pipeline)
  const replacing = resolvePipeline(pipeline, params)
  const { findings, replaced } = params
  return { pipeline: replaced.length > 0 ? replacing : pipeline, findings, replaced }
}
