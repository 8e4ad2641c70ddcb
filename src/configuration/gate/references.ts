import { nameKey } from '../../core/name-key.ts'
import { expandConfiguration } from '../../document/effective/effective.ts'
import type { Configuration, Pipeline, Stage, Template } from '../../document/model/model.ts'
import { secretReferencesIn } from '../../document/secrets/secret-reference.ts'
import { runSync } from '../../lib/cooperative.ts'

/** A thing of the configuration that a pipeline or a template names. */
export interface Reference {
  readonly kind: 'pipeline' | 'template' | 'package' | 'scm' | 'elastic profile' | 'secret config'
  readonly name: string
}

/** The start of a param that only the pipelines of a template fill in. */
export const PARAM = '#{'

/** A pipeline with its group, and all that it names when its template and its params are filled in. */
export interface NamingPipeline {
  readonly group: string
  readonly name: string
  readonly references: readonly Reference[]
}

/** Every pipeline of a configuration that lies in certain groups, with what it names. */
export function pipelinesNaming(
  configuration: Configuration,
  isAsked: (group: string) => boolean,
): readonly NamingPipeline[] {
  const expanded = runSync(expandConfiguration(configuration)).configuration
  return expanded.groups
    .filter(({ name }) => isAsked(name))
    .flatMap(({ name: group, pipelines }) =>
      pipelines.map((pipeline) => ({
        group,
        name: pipeline.name,
        references: referencesOfPipeline(pipeline),
      })),
    )
}

/** The things that a template names itself; its params are named by the pipelines that set them. */
export function referencesOfTemplate({ stages }: Template): readonly Reference[] {
  return [...referencesOfStages(stages), ...secretsIn(stages)].filter(
    ({ name }) => !name.includes(PARAM),
  )
}

export function referenceKey({ kind, name }: Reference): string {
  return `${kind}/${nameKey(name)}`
}

function referencesOfPipeline(pipeline: Pipeline): readonly Reference[] {
  const { template, materials, stages } = pipeline
  const used = materials.flatMap((material): Reference[] => {
    if (material.kind === 'dependency') return [{ kind: 'pipeline', name: material.pipeline }]
    if (material.kind === 'package' || material.kind === 'scm') {
      return [{ kind: material.kind, name: material.ref }]
    }
    return []
  })
  return [
    ...(template === null ? [] : [{ kind: 'template', name: template } as const]),
    ...used,
    ...referencesOfStages(stages),
    ...secretsIn(pipeline),
  ]
}

function referencesOfStages(stages: readonly Stage[]): readonly Reference[] {
  return stages.flatMap(({ jobs }) =>
    jobs.flatMap(({ elasticProfile, tasks }) => [
      ...(elasticProfile === null
        ? []
        : [{ kind: 'elastic profile', name: elasticProfile } as const]),
      ...tasks
        .flatMap((task) => [task, ...(task.onCancel === null ? [] : [task.onCancel])])
        .flatMap((task) => (task.kind === 'fetchartifact' ? pathOf(task.pipeline) : [])),
    ]),
  )
}

/** The pipelines of a path such as `far/near`. */
function pathOf(path: string | null): readonly Reference[] {
  const names = (path ?? '').split('/').map((name) => name.trim())
  return names.filter((name) => name !== '').map((name) => ({ kind: 'pipeline', name }))
}

/** Secrets that are kept elsewhere, wherever a text refers to them. */
function secretsIn(part: unknown): readonly Reference[] {
  return secretReferencesIn(part).map(({ config }) => ({ kind: 'secret config', name: config }))
}
