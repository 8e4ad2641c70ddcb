import { ParamResolver } from './effective/params.ts'
import { resolvePipeline } from './effective/resolve-pipeline.ts'
import type { At, Configuration, Pipeline, Template } from './model.ts'
import { type Finding, nameKey } from './rules/finding.ts'

/** A configuration as it acts, and what stood in the way of working it out. */
export interface Expansion {
  /** Pipelines have the stages of their templates, and params are replaced. */
  readonly configuration: Configuration
  readonly findings: readonly Finding[]
  /** The elements in which params were replaced, so that their texts have a form to be checked. */
  readonly replaced: ReadonlySet<At>
}

/**
 * Expands templates and params: what is scheduled, and what most rules are
 * about. Everything keeps the place it was written at, so the stages of a
 * pipeline that uses a template stand in the template.
 */
export function expandConfiguration(configuration: Configuration): Expansion {
  const templates = new Map(configuration.templates.map((each) => [nameKey(each.name), each]))
  const resolvers: ParamResolver[] = []
  const groups = configuration.groups.map((group) => ({
    ...group,
    pipelines: group.pipelines.map((pipeline) => expandPipeline(pipeline, templates, resolvers)),
  }))
  return {
    configuration: { ...configuration, groups },
    findings: resolvers.flatMap(({ findings }) => findings),
    replaced: new Set(resolvers.flatMap(({ replaced }) => replaced)),
  }
}

function expandPipeline(
  pipeline: Pipeline,
  templates: ReadonlyMap<string, Template>,
  resolvers: ParamResolver[],
): Pipeline {
  const params = new ParamResolver(pipeline)
  resolvers.push(params)
  return resolvePipeline(withStages(pipeline, templates), params)
}

function withStages(pipeline: Pipeline, templates: ReadonlyMap<string, Template>): Pipeline {
  if (pipeline.template === null || pipeline.stages.length > 0) return pipeline
  const template = templates.get(nameKey(pipeline.template))
  return template ? { ...pipeline, stages: template.stages } : pipeline
}
