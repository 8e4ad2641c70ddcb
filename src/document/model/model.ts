import { z } from 'zod'
import { Agent, Environment, readAgent, readEnvironment } from './environments.ts'
import { LaterDefinitions, readLaterDefinitions } from './later-definitions.ts'
import type { ModelNode } from './model-node.ts'
import { PipelineGroup, readGroup, readTemplate, Template } from './pipelines.ts'
import { PackageRepository, readRepository, readScmDefinition, ScmDefinition } from './plugins.ts'
import { readServer, Server } from './server.ts'
import { readUnknownOutside, UnknownParts } from './unknown-parts.ts'
import { At, manyOf } from './values.ts'

/** A configuration as its document says it: templates are not expanded, params not replaced. */
export const Configuration = z.object({
  at: At,
  schemaVersion: z.string().trim().pipe(z.coerce.number<string>().int()),
  server: Server.nullable(),
  repositories: manyOf(PackageRepository),
  scms: manyOf(ScmDefinition),
  groups: manyOf(PipelineGroup),
  templates: manyOf(Template),
  environments: manyOf(Environment),
  agents: manyOf(Agent),
  later: LaterDefinitions,
  /** Those outside of pipelines, templates and agents. */
  unknown: UnknownParts,
})
export type Configuration = z.infer<typeof Configuration>

/** Builds the model, or reports the values that do not have its form. */
export function buildConfiguration(root: ModelNode): z.ZodSafeParseResult<Configuration> {
  const server = root.child('server')
  return Configuration.safeParse({
    at: root.at,
    schemaVersion: root.attribute('schemaVersion') ?? '',
    server: server && readServer(server),
    repositories: root.list('repositories', 'repository').map(readRepository),
    scms: root.list('scms', 'scm').map(readScmDefinition),
    groups: root.list('pipelines').map(readGroup),
    templates: root.list('templates', 'pipeline').map(readTemplate),
    environments: root.list('environments', 'environment').map(readEnvironment),
    agents: root.list('agents', 'agent').map(readAgent),
    later: readLaterDefinitions(root),
    unknown: readUnknownOutside(root, LISTS),
  } satisfies z.input<typeof Configuration>)
}

/** The lists whose members have a model of their own. */
const LISTS = new Set(['pipelines', 'templates', 'agents'])

export * from './environments.ts'
export * from './later-definitions.ts'
export * from './materials.ts'
export * from './pipelines.ts'
export * from './plugins.ts'
export * from './server.ts'
export * from './stages.ts'
export * from './tasks.ts'
export * from './unknown-parts.ts'
export * from './values.ts'
