import type { z } from 'zod'
import { SERVER_ELEMENTS } from '../schema/server.ts'
import { Agent, Environment } from './environments.ts'
import { build, many, modelOf, one, type ValueOf } from './fields.ts'
import type { ModelNode } from './model-node.ts'
import {
  OUTSIDE_DEFINITIONS,
  PackageRepository,
  ScmDefinition,
  SecretConfig,
} from './outside-definitions.ts'
import { PipelineGroup, Template } from './pipelines.ts'
import { Server } from './server.ts'
import { unknownOutside } from './unknown-parts.ts'

/** The lists whose members have a model of their own. */
const LISTS = new Set(['pipelines', 'templates', 'agents'])

/** A configuration as its document says it: templates are not expanded, params not replaced. */
export const Configuration = modelOf(SERVER_ELEMENTS.cruise, {
  server: one('server', Server),
  repositories: many(PackageRepository, 'repositories', 'repository'),
  scms: many(ScmDefinition, 'scms', 'scm'),
  secretConfigs: many(SecretConfig, 'secretConfigs', 'secretConfig'),
  groups: many(PipelineGroup, 'pipelines'),
  templates: many(Template, 'templates', 'pipeline'),
  environments: many(Environment, 'environments', 'environment'),
  agents: many(Agent, 'agents', 'agent'),
  /** Definitions outside of pipelines that nobody acts on. */
  outside: OUTSIDE_DEFINITIONS,
  /** Unknown parts outside of pipelines, templates and agents. */
  unknown: unknownOutside(LISTS),
})
export type Configuration = ValueOf<typeof Configuration>

/** Builds the model, or reports the values that do not have its form. */
export function buildConfiguration(root: ModelNode): z.ZodSafeParseResult<Configuration> {
  return build(Configuration, root)
}

export * from './environments.ts'
export * from './fields.ts'
export * from './materials.ts'
export * from './outside-definitions.ts'
export * from './pipelines.ts'
export * from './server.ts'
export * from './stages.ts'
export * from './tasks.ts'
export * from './unknown-parts.ts'
export * from './values.ts'
