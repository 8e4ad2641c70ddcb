import type { DescribedChanges } from '../../configuration/changes/config-changes.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import type { ConfiguredAccess, PermissionChange } from '../../configuration/access/access.ts'
import { type Access, assertMay } from '../../configuration/access/permission.ts'
import { currentDocument } from '../../configuration/current/current-document.ts'
import type { CurrentConfiguration } from '../../configuration/current/current-configuration.ts'
import type { DocumentCache } from '../../configuration/current/document-cache.ts'
import type { Gate, GatedDocuments } from '../../configuration/gate/gate.ts'
import type { PlanFacts } from '../../configuration/gate/rules/question.ts'
import { type PlannedVerdict, plannedVerdict } from '../../configuration/gate/refusal.ts'
import type { ConfigurationWriter } from '../../configuration/save/configuration-writer.ts'
import { isSameName, nameKey } from '../../core/name-key.ts'
import type { ChangeOrigin, DoorOfPeople } from '../../core/change-origin.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import { expandConfiguration } from '../../document/effective/effective.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { wholeEntityWord } from '../../document/entities/entities.ts'
import type { Configuration, Pipeline } from '../../document/model/model.ts'
import type { History } from '../../history/history.ts'
import { isUnfinished } from '../../core/builds/job.ts'
import { type CooperativeWork, runCooperatively } from '../../lib/cooperative.ts'
import { memoize } from '../../lib/memoize.ts'
import type { JobInstance } from '../engine/documents.ts'
import type { Builds } from '../engine/builds.ts'
import type { Unsupported, WillNotRun } from '../configured/unsupported.ts'
import {
  findObstacles,
  type PlannedObstacle,
  type PlanObstaclesDeps,
  findStops,
  type PlannedStop,
} from './plan-obstacles.ts'
import type { PlannedStart, Triggers } from '../triggers/triggers.ts'

export interface PlanDeps extends PlanObstaclesDeps {
  readonly access: Access & Pick<ConfiguredAccess, 'changesBy' | 'rightsIn'>
  readonly gate: Gate
  readonly history: History
  readonly writer: ConfigurationWriter
  readonly cache: DocumentCache
  readonly configuration: CurrentConfiguration
  readonly summary: ChangeSummary
  readonly builds: Builds
  readonly triggers: Pick<Triggers, 'planStarts'>
  readonly unsupported: Unsupported
}

/** The effects of saving a document now. */
export interface Plan {
  readonly valid: boolean
  /** The digest of the current document, and that of the one that would be current; null for an invalid one. */
  readonly base: Digest
  readonly result: Digest | null
  readonly errors: readonly Problem[]
  readonly changes: DescribedChanges['changes']
  /** The runs that would begin. */
  readonly starts: readonly PlannedStart[]
  /** The pipelines that would run less by themselves than now, or not at all. */
  readonly stops: readonly PlannedStop[]
  /** Why pipelines that would run otherwise cannot start, or why jobs of theirs would wait. */
  readonly obstacles: readonly Omit<PlannedObstacle, 'prevents'>[]
  readonly touches: Touched
  readonly permissions: readonly PermissionChange[]
  /** The parts of the document that nobody here acts on. */
  readonly willNotRun: readonly WillNotRun[]
  /** The answer of the gate to the caller; null for an invalid document. */
  readonly verdict: PlannedVerdict | null
}

/** How a document would be saved. */
export interface PlannedSave {
  readonly door: DoorOfPeople
  /** The reason in the words of the author, which rules may ask for; may be empty. */
  readonly message: string
}

type OriginOfPeople = Extract<ChangeOrigin, { readonly principal: Principal }>

/** The names of what would change, and the running jobs of the pipelines among it. */
export interface Touched {
  /** Pipelines that would run otherwise, also by their template. */
  readonly pipelines: readonly string[]
  readonly agents: readonly string[]
  readonly environments: readonly string[]
  readonly jobsRunning: readonly string[]
}

/** The effects of a document that changes nothing. */
export const NO_EFFECTS: Omit<Plan, 'base' | 'result'> = {
  valid: true,
  errors: [],
  changes: [],
  starts: [],
  stops: [],
  obstacles: [],
  touches: { pipelines: [], agents: [], environments: [], jobsRunning: [] },
  permissions: [],
  willNotRun: [],
  verdict: null,
}

/**
 * Computes the effects of adding a pipeline. Those of other pipelines are for administrators of the server: one of
 * its group need not know of them.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function planPipeline(
  deps: PlanDeps,
  principal: Principal,
  added: {
    readonly group: string
    readonly name: string
    readonly document: Uint8Array<ArrayBuffer>
    readonly message: string
  },
): Promise<Plan> {
  const { group, name, document, message } = added
  assertMay(deps.access, principal, { action: 'administer-group', group })
  const plan = await planDocument(deps, document, { door: 'create-pipeline', principal, message })
  if (deps.access.may(principal, { action: 'administer' })) return plan
  const isAdded = ({ pipeline }: { readonly pipeline: string }) => isSameName(pipeline, name)
  const pipelines = plan.touches.pipelines.filter((each) => isSameName(each, name))
  return {
    ...plan,
    changes: [],
    permissions: [],
    starts: plan.starts.filter(isAdded),
    stops: plan.stops.filter(isAdded),
    obstacles: plan.obstacles.filter(isAdded),
    touches: { ...NO_EFFECTS.touches, pipelines },
    willNotRun: plan.willNotRun.filter(({ entity }) => isSameName(entity, `pipeline/${name}`)),
  }
}

/** The numbers of the effects of a change, for rules that ask for them. */
export async function planFactsOf(deps: PlanDeps, { after }: GatedDocuments): Promise<PlanFacts> {
  const effects = await planEffects(deps, after)
  return factsOf('errors' in effects ? NO_EFFECTS : effects.plan)
}

/** All effects, whoever may know of them; `save` says who would save it, and how. */
export async function planDocument(
  deps: PlanDeps,
  document: Uint8Array<ArrayBuffer>,
  { message = '', ...origin }: OriginOfPeople & Partial<PlannedSave>,
): Promise<Plan> {
  const effects = await planEffects(deps, document)
  const { stored, base } = effects
  if ('errors' in effects) {
    const documents = { before: stored, after: document }
    const errors = await deps.gate.problemsFor(effects.errors, documents, origin.principal)
    return { ...NO_EFFECTS, base, result: null, valid: false, errors }
  }
  const documents = { before: stored, after: effects.document }
  const plan = factsOf(effects.plan)
  const { verdict } = await deps.gate.assess(documents, { origin, message, plan })
  return { ...effects.plan, verdict: plannedVerdict(verdict) }
}

/** The effects of a document on the current one, or what is wrong with it. */
type Effects = { readonly stored: Uint8Array<ArrayBuffer>; readonly base: Digest } & (
  | { readonly errors: readonly Problem[] }
  | { readonly document: Uint8Array<ArrayBuffer>; readonly plan: Omit<Plan, 'verdict'> }
)

async function planEffects(deps: PlanDeps, document: Uint8Array<ArrayBuffer>): Promise<Effects> {
  const { digest: base } = deps.history.current()
  const stored = await currentDocument(deps)
  const prepared = await deps.writer.preview(document)
  if (!prepared.ok) return { stored, base, errors: prepared.problems }
  const before = deps.configuration.read().configuration
  const planned = await deps.cache.read(prepared.document)
  const after = planned.configuration
  const changes = await deps.summary.changes(stored, prepared.document)
  const between = { before: await pipelinesOf(before), after: await pipelinesOf(after), changes }
  const touches = await findTouched(deps, between)
  const starts = await deps.triggers.planStarts(between.after)
  const names = [...touches.pipelines, ...starts.map(({ pipeline }) => pipeline)]
  const concerned = new Set(names.map(nameKey))
  const isConcerned = ({ name }: Pipeline) => concerned.has(nameKey(name))
  const obstacles = await findObstacles(deps, after, between.after.filter(isConcerned))
  const former = await findObstacles(deps, before, between.before.filter(isConcerned))
  const stops = findStops({
    before: between.before.filter(isConcerned),
    after: between.after.filter(isConcerned),
    obstacles: { before: former, after: obstacles },
  })
  const plan = {
    ...NO_EFFECTS,
    base,
    result: digestOf(prepared.document),
    changes: changes.map((change) => ({ ...change, text: renderChange(change) })),
    starts: withoutPrevented(starts, obstacles),
    stops,
    obstacles: obstacles.map(({ pipeline, because }) => ({ pipeline, because })),
    touches,
    permissions: deps.access.changesBy(before, after),
    willNotRun: await deps.unsupported.listIn(planned),
  }
  return { stored, base, document: prepared.document, plan }
}

/**
 * The runs that would begin with a valid document in force, without anything else about it.
 *
 * @throws {ServiceError} `config-invalid`.
 */
export async function plannedStarts(
  deps: PlanDeps,
  document: Uint8Array<ArrayBuffer>,
): Promise<readonly PlannedStart[]> {
  const { configuration } = await deps.cache.read(document)
  const pipelines = await pipelinesOf(configuration)
  const starts = await deps.triggers.planStarts(pipelines)
  const concerned = new Set(starts.map(({ pipeline }) => nameKey(pipeline)))
  const starting = pipelines.filter(({ name }) => concerned.has(nameKey(name)))
  return withoutPrevented(starts, await findObstacles(deps, configuration, starting))
}

function withoutPrevented(
  starts: readonly PlannedStart[],
  obstacles: readonly PlannedObstacle[],
): readonly PlannedStart[] {
  const prevented = new Set(
    obstacles.filter(({ prevents }) => prevents).map(({ pipeline }) => pipeline),
  )
  return starts.filter(({ pipeline }) => !prevented.has(pipeline))
}

function factsOf(plan: Omit<Plan, 'base' | 'result' | 'verdict'>): PlanFacts {
  const { starts, stops, changes, touches, permissions, willNotRun } = plan
  return {
    starts: starts.length,
    stops: stops.length,
    gains: permissions.flatMap(({ gains }) => gains).length,
    removes: changes.filter(isRemoval).length,
    jobsRunning: touches.jobsRunning.length,
    willNotRun: willNotRun.length,
  }
}

/** Whether a whole entity is removed. */
function isRemoval(change: DocumentChange): boolean {
  return change.kind === 'removed' && wholeEntityWord(change) !== null
}

async function pipelinesOf(configuration: Configuration): Promise<readonly Pipeline[]> {
  const expansion = await runCooperatively(expandConfiguration(configuration))
  return expansion.configuration.groups.flatMap((group) => group.pipelines)
}

async function findTouched(
  { builds }: PlanDeps,
  between: {
    readonly before: readonly Pipeline[]
    readonly after: readonly Pipeline[]
    readonly changes: readonly DocumentChange[]
  },
): Promise<Touched> {
  const { changes } = between
  const pipelines = await runCooperatively(differing(between))
  const keys = new Set(pipelines.map(nameKey))
  const active = await builds.activeStages()
  const touched = active.filter(({ pipelineName }) => keys.has(nameKey(pipelineName)))
  const jobs = (await builds.withJobs(touched)).flatMap((run) => run.jobs)
  return {
    pipelines,
    agents: namesOf(changes, 'agent'),
    environments: namesOf(changes, 'environment'),
    jobsRunning: jobs.filter(isUnfinished).map(locatorOf),
  }
}

function locatorOf(job: JobInstance): string {
  const { pipelineName, pipelineCounter, stageName, stageCounter, name } = job
  return [pipelineName, pipelineCounter, stageName, stageCounter, name].join('/')
}

/** The pipelines that differ between two lists, or are in only one of them; one in each step. */
function* differing({
  before,
  after,
}: {
  readonly before: readonly Pipeline[]
  readonly after: readonly Pipeline[]
}): CooperativeWork<string[]> {
  const old = new Map(before.map((each) => [nameKey(each.name), each]))
  const names: string[] = []
  for (const each of after) {
    if (!isAlike(old.get(nameKey(each.name)), each)) names.push(each.name)
    yield
  }
  const left = new Set(after.map(({ name }) => nameKey(name)))
  const removed = before.filter(({ name }) => !left.has(nameKey(name)))
  return [...names, ...removed.map(({ name }) => name)]
}

/** Pipelines that run alike: where they are in the document does not count. */
function isAlike(one: Pipeline | undefined, other: Pipeline): boolean {
  return one === other || (one !== undefined && definitionOf(one) === definitionOf(other))
}

const definitionOf = memoize((pipeline: Pipeline) =>
  JSON.stringify(pipeline, (key, value: unknown) => (key === 'at' ? undefined : value)),
)

function namesOf(changes: readonly DocumentChange[], kind: string): string[] {
  const start = `${kind}/`
  const entities = changes.map(({ entity }) => entity).filter((entity) => entity.startsWith(start))
  return [...new Set(entities)].map((entity) => entity.slice(start.length))
}
