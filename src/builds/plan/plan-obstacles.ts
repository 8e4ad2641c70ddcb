import type { AgentDirectory } from '../../agents/agent-directory.ts'
import { type Candidate, explainWait, type PlacedNeed } from '../../core/builds/waiting.ts'
import { nameKey } from '../../core/name-key.ts'
import { isSource, materialIdentity } from '../../document/materials/identity.ts'
import type { Configuration, Pipeline } from '../../document/model/model.ts'
import { neededResources } from '../../document/unsupported/elastic-resource.ts'
import { Turns } from '../../lib/cooperative.ts'
import { strandedText } from '../engine/stage-jobs.ts'
import type { MaterialPoller } from '../materials/material-poller.ts'
import { candidatesIn } from '../configured/plans.ts'
import { whyUnwatched, shownMaterialName } from '../triggers/wanted-revisions.ts'
import { addToGroup } from '../../lib/grouping.ts'

/** An obstacle that keeps a planned pipeline from starting, or one of its jobs from running. */
export interface PlannedObstacle {
  readonly pipeline: string
  readonly because: string
  /** Whether no run of the pipeline starts, and not only a job waits. */
  readonly prevents: boolean
}

export interface PlanObstaclesDeps {
  readonly directory: Pick<AgentDirectory, 'list'>
  readonly poller: Pick<MaterialPoller, 'whyForbidden'>
}

/** The obstacles of some pipelines of a document, by the agents and environments that it names. */
export async function findObstacles(
  deps: PlanObstaclesDeps,
  after: Configuration,
  pipelines: readonly Pipeline[],
): Promise<readonly PlannedObstacle[]> {
  const candidates = candidatesAfter(deps, after)
  const environments = environmentsBy(after.environments, (each) =>
    each.pipelines.map(({ name }) => name),
  )
  const explained = new Map<string, string | null>()
  const reasonOf = (need: PlacedNeed) => {
    const key = JSON.stringify(need)
    const known = explained.get(key)
    if (known !== undefined) return known
    const { isStuck, reason } = explainWait(need, candidates)
    explained.set(key, isStuck ? reason : null)
    return isStuck ? reason : null
  }
  const found: PlannedObstacle[] = []
  const turns = new Turns()
  for (const pipeline of pipelines) {
    if (turns.isOver) await turns.next()
    found.push(...(await obstaclesOfMaterials(deps, pipeline)))
    found.push(
      ...obstaclesOfJobs(pipeline, environments.get(nameKey(pipeline.name)) ?? [], reasonOf),
    )
  }
  return found
}

async function obstaclesOfMaterials(
  { poller }: PlanObstaclesDeps,
  { name: pipeline, materials }: Pipeline,
): Promise<PlannedObstacle[]> {
  const found: PlannedObstacle[] = []
  for (const material of materials) {
    if (material.kind === 'dependency') continue
    const because = isSource(material)
      ? await poller.whyForbidden(material)
      : whyUnwatched(material)
    if (because !== null) found.push({ pipeline, because, prevents: true })
  }
  return found
}

function obstaclesOfJobs(
  { name: pipeline, stages }: Pipeline,
  environments: readonly string[],
  reasonOf: (need: PlacedNeed) => string | null,
): PlannedObstacle[] {
  const [first] = stages
  return stages.flatMap((stage) =>
    stage.jobs.flatMap((job) => {
      const { name, runOnAllAgents } = job
      const resources = neededResources(job)
      const reason = reasonOf({ resources, environments, pinnedTo: null })
      if (reason === null) return []
      const waits = runOnAllAgents ? strandedText(name, reason) : `the job ${name} waits: ${reason}`
      const because = `in the stage ${stage.name}, ${waits}`
      return [{ pipeline, because, prevents: runOnAllAgents && stage === first }]
    }),
  )
}

/** The agents as the document has them: a save may give them what a job needs. */
function candidatesAfter(
  { directory }: PlanObstaclesDeps,
  { agents, environments }: Configuration,
): readonly Candidate[] {
  const configured = new Map(agents.map((each) => [nameKey(each.uuid), each]))
  const environmentsOf = environmentsBy(environments, (each) => each.agents.map(({ uuid }) => uuid))
  return candidatesIn(directory).map((candidate) => {
    const key = nameKey(candidate.uuid)
    return {
      ...candidate,
      resources: configured.get(key)?.resources.map(({ name }) => name) ?? [],
      environments: environmentsOf.get(key) ?? [],
    }
  })
}

/** The names of environments by the keys of those of their members. */
function environmentsBy(
  environments: Configuration['environments'],
  membersOf: (environment: Configuration['environments'][number]) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const environment of environments) {
    const members = new Set(membersOf(environment).map(nameKey))
    for (const member of members) addToGroup(found, member, environment.name)
  }
  return found
}

/** A pipeline that would run less by itself than now, or not at all. */
export interface PlannedStop {
  readonly pipeline: string
  readonly because: string
}

interface Side {
  readonly before: readonly Pipeline[]
  readonly after: readonly Pipeline[]
  readonly obstacles: Readonly<Record<'before' | 'after', readonly PlannedObstacle[]>>
}

/** The pipelines among some that lose their schedule, timer, a material or the agents of a job. */
export function findStops({ before, after, obstacles }: Side): readonly PlannedStop[] {
  const later = new Map(after.map((each) => [nameKey(each.name), each]))
  return before.flatMap((former) => {
    const pipeline = former.name
    const now = later.get(nameKey(pipeline))
    if (now === undefined) return [{ pipeline, because: 'it is removed' }]
    const reasons = [...lostTriggers(former, now), ...newObstacles(pipeline, obstacles)]
    return reasons.map((because) => ({ pipeline, because }))
  })
}

function lostTriggers(former: Pipeline, now: Pipeline): string[] {
  const identities = new Set(now.materials.map(materialIdentity))
  const lost = former.materials.filter((each) => !identities.has(materialIdentity(each)))
  return [
    ...(former.timer !== null && now.timer === null ? ['it loses its timer'] : []),
    ...(isManual(now) && !isManual(former) ? ['its first stage waits for somebody'] : []),
    ...lost.map((each) => lossOf(each, now)),
  ]
}

function lossOf(lost: Pipeline['materials'][number], { materials }: Pipeline): string {
  const name = shownMaterialName(lost)
  const isReplaced = materials.some((each) => name !== null && shownMaterialName(each) === name)
  return isReplaced
    ? `its material ${name} is read from elsewhere`
    : `it loses the material ${name ?? lost.kind}`
}

function isManual({ stages }: Pipeline): boolean {
  return stages[0]?.approval?.type === 'manual'
}

function newObstacles(pipeline: string, { before, after }: Side['obstacles']): string[] {
  const key = nameKey(pipeline)
  const own = (all: readonly PlannedObstacle[]) =>
    all.filter((each) => nameKey(each.pipeline) === key).map(({ because }) => because)
  const known = new Set(own(before))
  return own(after).filter((because) => !known.has(because))
}
