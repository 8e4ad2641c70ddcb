import { nameKey } from '../../core/name-key.ts'
import { expandConfiguration } from '../effective/effective.ts'
import type {
  At,
  Configuration,
  Pipeline,
  Role,
  Stage,
  Template,
  Material,
} from '../model/model.ts'
import type { Finding } from '../model/finding.ts'

/** The version of the schema whose rules are known exactly. */
const EXACT_VERSION = 75

/** The input of the rules, with the look-ups that several of them need. */
export interface RuleContext {
  readonly written: Configuration
  readonly effective: Configuration
  /** The elements whose texts have a form that the structure of the document could not check. */
  readonly replaced: ReadonlySet<At>
  /** The effective pipelines in the order of the document. */
  readonly pipelines: readonly Pipeline[]
  readonly pipelinesByName: ReadonlyMap<string, Pipeline>
  readonly rolesByName: ReadonlyMap<string, Role>
  readonly templatesByName: ReadonlyMap<string, Template>
  /** Names that package and scm materials go by, by the id of what they refer to. */
  readonly pluginMaterialNames: ReadonlyMap<string, string>
  /** Whether the document follows a later schema than the one that is known exactly. */
  readonly isLater: boolean
}

/** All that a rule about one pipeline alone may need to know of the others. */
export type OwnContext = Pick<RuleContext, 'replaced' | 'pluginMaterialNames' | 'isLater'>

export type Rule = (context: RuleContext) => Iterable<Finding>
/** A rule about each effective pipeline alone. */
export type PipelineRule = (pipeline: Pipeline, context: OwnContext) => Iterable<Finding>
/** A rule about each effective pipeline and what it refers to. */
export type ReferenceRule = (pipeline: Pipeline, context: RuleContext) => Iterable<Finding>
/** A rule about each stage, of pipelines and of templates as written. */
export type StageRule = (stage: Stage, context: OwnContext) => Iterable<Finding>

/** Builds the context of a configuration in steps, with the findings about its params. */
export function* ruleContextOf(
  written: Configuration,
): Generator<void, { readonly context: RuleContext; readonly findings: readonly Finding[] }> {
  const { configuration: effective, findings, replaced } = yield* expandConfiguration(written)
  yield
  const pipelines = effective.groups.flatMap((group) => group.pipelines)
  const context = {
    written,
    effective,
    replaced,
    pipelines,
    pipelinesByName: byName(pipelines),
    rolesByName: byName(written.server?.security?.roles ?? []),
    templatesByName: byName(written.templates),
    pluginMaterialNames: namesOfPluginMaterials(written),
    isLater: written.schemaVersion > EXACT_VERSION,
  }
  return { context, findings }
}

/** The first item of each name. */
function byName<Item extends { readonly name: string }>(
  items: readonly Item[],
): ReadonlyMap<string, Item> {
  const named = new Map<string, Item>()
  for (const item of items) {
    const key = nameKey(item.name)
    if (!named.has(key)) named.set(key, item)
  }
  return named
}

function namesOfPluginMaterials({
  repositories,
  scms,
}: Configuration): ReadonlyMap<string, string> {
  const packages = repositories.flatMap((repository) =>
    repository.packages.map(({ id, name }) => [id ?? '', `${repository.name}:${name}`] as const),
  )
  return new Map([...packages, ...scms.map(({ id, name }) => [id ?? '', name] as const)])
}

/** The name a material goes by in labels, or null for one that has none. */
export function materialNameOf(
  material: Material,
  { pluginMaterialNames }: Pick<RuleContext, 'pluginMaterialNames'>,
): string | null {
  if (material.kind === 'package' || material.kind === 'scm') {
    return pluginMaterialNames.get(material.ref) ?? null
  }
  if (material.kind === 'dependency') return material.name ?? material.pipeline
  return material.kind === 'unknown' ? null : material.name
}
