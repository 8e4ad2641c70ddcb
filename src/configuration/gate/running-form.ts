import { nameKey } from '../../core/name-key.ts'
import type { ConfigDocument } from '../../document/document.ts'
import { expandConfiguration } from '../../document/effective/effective.ts'
import {
  entitiesIn,
  ENTITY_KINDS,
  entityName,
  foldEntity,
} from '../../document/entities/entities.ts'
import type { Configuration, Environment, Pipeline } from '../../document/model/model.ts'
import { runSync } from '../../lib/cooperative.ts'
import { memoize } from '../../lib/memoize.ts'
import { type NamingPipeline, pipelinesNaming, type Reference } from './references.ts'
import type { ChangedPlace } from './rules/question.ts'
import { runningPlaces } from './running-places.ts'
import { written } from '../../document/model/written-part.ts'

/** A pipeline that runs otherwise because of something outside of its text. */
export interface OtherwisePipeline {
  /** The name of its entity, in folded spelling. */
  readonly pipeline: string
  /** The changed places of what it is made of. */
  readonly places: readonly ChangedPlace[]
}

/** The changed places by the names of the entities, in folded spelling. */
type PlacesByEntity = ReadonlyMap<string, readonly ChangedPlace[]>

interface Pair<Thing> {
  readonly before: Thing
  readonly after: Thing
}

const TEMPLATE = 'template/'
/** Kinds of entities that pipelines name and run otherwise by. */
const NAMED = /^(?:template|repository|scm|secret-config|agent-profile)\//
const PIPELINE = 'pipeline/'
const ENVIRONMENT = 'environment/'
const CLUSTER = 'cluster-profile/'
const AGENT_PROFILES = ENTITY_KINDS.filter(({ word }) => word === 'agent-profile')
const GROUP = 'group/'
const STANDS_FOR_OTHERS = /^(?:param |template$|content$)/

/**
 * The pipelines that run otherwise by what they are made of: their template with their params, the
 * environments that they run in, the permissions of their group, and the packages, repositories, secret
 * configs and agent profiles that they name.
 */
export function* runsOtherwise(
  { before, after }: Pair<ConfigDocument>,
  changed: PlacesByEntity,
): Generator<OtherwisePipeline> {
  const pair = { before: before.configuration, after: after.configuration }
  const entries = [...changed].filter(([, places]) => places.some(({ sort }) => sort === 'content'))
  const clusters = entries.filter(([name]) => name.startsWith(CLUSTER))
  const profiles = clusters.flatMap(([name, places]) =>
    [before, after].flatMap((each) =>
      profilesUpon(each, name).map((profile) => [profile, places] as const),
    ),
  )
  const named = new Map([...profiles, ...entries.filter(([name]) => NAMED.test(name))])
  if (named.size > 0) yield* otherwiseByNames(pair, named)
  for (const [name, places] of entries) {
    if (name.startsWith(PIPELINE)) yield* otherwiseByParams(pair, name, places)
    if (name.startsWith(ENVIRONMENT)) yield* otherwiseByEnvironment(pair, name, places)
    if (name.startsWith(GROUP)) yield* otherwiseByGroup(pair, name, places)
  }
}

/**
 * Whether pipelines may run otherwise by an entity whose content has changed in some places: by one that they
 * name or are in, or by their own params and template.
 */
export function mayRunOtherwiseBy(name: string, places: readonly ChangedPlace[]): boolean {
  if (name.startsWith(PIPELINE)) return standsForOthers(places)
  return NAMED.test(name) || [CLUSTER, ENVIRONMENT, GROUP].some((kind) => name.startsWith(kind))
}

function standsForOthers(places: readonly ChangedPlace[]): boolean {
  return places.some(({ steps }) => STANDS_FOR_OTHERS.test(steps.at(-1) ?? ''))
}

/** A param or a template that a pipeline names stands for what runs. */
function* otherwiseByParams(
  { before, after }: Pair<Configuration>,
  name: string,
  places: readonly ChangedPlace[],
): Generator<OtherwisePipeline> {
  if (!standsForOthers(places)) return
  const [older, newer] = [before, after].map((each) => namesOf(each).get(name)?.pipeline)
  if (older && newer) yield { pipeline: name, places: runningPlaces(older, newer) }
}

function* otherwiseByNames(
  { before, after }: Pair<Configuration>,
  named: PlacesByEntity,
): Generator<OtherwisePipeline> {
  const older = namesOf(before)
  for (const [key, newer] of namesOf(after)) {
    const former = older.get(key)
    const entities = new Set([...newer.entities, ...(former?.entities ?? [])])
    const changed = [...entities].filter((name) => named.has(name))
    const isByTemplate = changed.every((name) => name.startsWith(TEMPLATE))
    if (changed.length === 0 || (isByTemplate && former && runsAlike(former, newer))) continue
    yield { pipeline: key, places: changed.flatMap((name) => named.get(name) ?? []) }
  }
}

/** Another pipeline of an environment that comes or goes leaves the others as they are. */
function* otherwiseByEnvironment(
  { before, after }: Pair<Configuration>,
  name: string,
  places: readonly ChangedPlace[],
): Generator<OtherwisePipeline> {
  const [older, newer] = [before, after].map((each) => environmentsCalled(each, name))
  const [had, has] = [older, newer].map((each) => membersOf(each ?? []))
  const isOther = surroundingsOf(older ?? []) !== surroundingsOf(newer ?? [])
  for (const pipeline of new Set([...(had ?? []), ...(has ?? [])])) {
    const isMoved = had?.has(pipeline) !== has?.has(pipeline)
    if (isOther || isMoved) yield { pipeline: `pipeline/${pipeline}`, places }
  }
}

function* otherwiseByGroup(
  { before, after }: Pair<Configuration>,
  name: string,
  places: readonly ChangedPlace[],
): Generator<OtherwisePipeline> {
  const [older, newer] = [before, after].map((each) =>
    each.groups.filter((group) => `${GROUP}${nameKey(group.name)}` === name),
  )
  const [had, has] = [older, newer].map((groups) =>
    written((groups ?? []).map(({ authorization }) => authorization)),
  )
  if (had === has) return
  const pipelines = [...(older ?? []), ...(newer ?? [])].flatMap((group) => group.pipelines)
  for (const pipeline of new Set(pipelines.map((each) => nameKey(each.name))))
    yield { pipeline: `pipeline/${pipeline}`, places }
}

/** The agent profiles that name a cluster profile. */
function profilesUpon({ root }: ConfigDocument, cluster: string): readonly string[] {
  return AGENT_PROFILES.flatMap((kind) => entitiesIn(root, kind))
    .filter(({ element }) => {
      const named = element.attributeValue('clusterProfileId') ?? ''
      return `${CLUSTER}${nameKey(named)}` === cluster
    })
    .map((profile) => foldEntity(entityName(profile)))
}

function environmentsCalled({ environments }: Configuration, name: string): readonly Environment[] {
  return environments.filter((each) => `${ENVIRONMENT}${nameKey(each.name)}` === name)
}

function membersOf(environments: readonly Environment[]): ReadonlySet<string> {
  return new Set(
    environments.flatMap(({ pipelines }) => pipelines.map((pipeline) => nameKey(pipeline.name))),
  )
}

function surroundingsOf(environments: readonly Environment[]): string {
  return written(environments.map(({ variables, agents }) => ({ variables, agents })))
}

/** A pipeline with the entities that it names. */
interface MadePipeline {
  readonly pipeline: Pipeline | null
  readonly entities: readonly string[]
}

/** The pipelines of a configuration by the names of their entities. */
const namesOf = memoize((configuration: Configuration): ReadonlyMap<string, MadePipeline> => {
  const expanded = runSync(expandConfiguration(configuration)).configuration
  const pipelines = new Map(
    expanded.groups.flatMap((group) => group.pipelines.map((each) => [nameKey(each.name), each])),
  )
  return new Map(
    pipelinesNaming(configuration, () => true).map((each: NamingPipeline) => {
      const key = nameKey(each.name)
      const entities = each.references.flatMap((reference) =>
        entitiesNamed(reference, configuration),
      )
      return [`pipeline/${key}`, { pipeline: pipelines.get(key) ?? null, entities }]
    }),
  )
})

/** The entities that a reference is to; none for another pipeline, which stays one of its own. */
function entitiesNamed(
  { kind, name }: Reference,
  { repositories, scms }: Configuration,
): readonly string[] {
  const key = nameKey(name)
  switch (kind) {
    case 'pipeline':
      return []
    case 'template':
      return [`${TEMPLATE}${key}`]
    case 'secret config':
      return [`secret-config/${key}`]
    case 'elastic profile':
      return [`agent-profile/${key}`]
    case 'scm':
      return scms.filter(({ id }) => id === name).map((scm) => `scm/${nameKey(scm.name)}`)
    case 'package':
      return repositories
        .filter(({ packages }) => packages.some(({ id }) => id === name))
        .map((repository) => `repository/${nameKey(repository.name)}`)
  }
}

function runsAlike(one: MadePipeline, other: MadePipeline): boolean {
  return one.pipeline === other.pipeline || formOf(one) === formOf(other)
}

const formOf = memoize(({ pipeline }: MadePipeline) => written(pipeline))
