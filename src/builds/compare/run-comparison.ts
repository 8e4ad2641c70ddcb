import type { DatedChange } from '../../configuration/changes/changes-between.ts'
import { isSameName } from '../../core/name-key.ts'
import type {
  JobInstance,
  Modification,
  PipelineInstance,
  RecordedAgent,
  RunVariable,
  StageInstance,
} from '../engine/documents.ts'
import type { StageRun } from '../engine/queries.ts'
import { parseUpstream } from '../engine/upstream-revision.ts'
import { type AgentChange, agentChanges, type AgentThen } from './agent-changes.ts'

export interface ComparedRun {
  readonly run: PipelineInstance
  /** The compared attempt of each of its stages. */
  readonly stages: readonly StageRun[]
  /** The agents as they were when they got the jobs, by the key in the job. */
  readonly agents: ReadonlyMap<string, RecordedAgent>
}

/** A change of a repository, with the run that was the first to include it. */
export interface IncludedCommit extends Modification {
  readonly run: number
}

/** All facts about two runs of a pipeline and about what lies between them. */
export interface ComparisonFacts {
  readonly from: ComparedRun
  readonly to: ComparedRun
  /** The stage that the question is about, such as one that failed; null for none. */
  readonly stage: string | null
  /** The names of the materials for people, by fingerprint. */
  readonly materials: ReadonlyMap<string, string>
  /** The changes between the runs by fingerprint, newest first. */
  readonly commits: ReadonlyMap<string, readonly IncludedCommit[]>
  /** The changes of the configuration that concern the pipeline, newest first. */
  readonly changes: readonly DatedChange[]
  /** Whether the configuration went back, so that the changes were taken from the pipeline. */
  readonly isBackwards: boolean
  readonly isSameSecret: (one: string, other: string) => boolean
}

export interface ComparedMaterial {
  readonly fingerprint: string
  readonly description: string
  /** Null where the run did not have the material. */
  readonly from: string | null
  readonly to: string | null
  readonly commits: readonly IncludedCommit[]
}

export interface ComparedUpstream {
  readonly pipeline: string
  readonly stage: string
  /** The run of the stage, as `pipeline/counter/stage/counter`. */
  readonly from: string | null
  readonly to: string | null
}

/** A variable that was given to one of the runs, or to both with other values; secrets are hidden. */
export interface ComparedVariable {
  readonly name: string
  readonly secure: boolean
  readonly from: string | null
  readonly to: string | null
}

export interface JobAgent {
  readonly uuid: string
  readonly hostname: string
}

export interface ComparedAgent {
  readonly stage: string
  readonly job: string
  readonly from: JobAgent | null
  readonly to: JobAgent | null
  /** The differences between the agents, or of the same agent between the runs. */
  readonly changes: readonly AgentChange[]
}

/** The differences between two runs. */
export interface RunDifferences {
  readonly materials: readonly ComparedMaterial[]
  readonly upstream: readonly ComparedUpstream[]
  readonly variables: readonly ComparedVariable[]
  readonly agents: readonly ComparedAgent[]
  readonly changes: readonly DatedChange[]
}

const HIDDEN = '****'

/** The differences of the runs: only what is not the same in both. */
export function differencesOf(facts: ComparisonFacts): RunDifferences {
  const spans = spansOf(facts)
  return {
    materials: spans.flatMap((span) => (upstreamOf(span) ? [] : materialOf(facts, span))),
    upstream: spans.flatMap((span) => upstreamOf(span) ?? []),
    variables: variablesOf(facts),
    agents: agentsOf(facts),
    changes: facts.changes,
  }
}

interface RevisionSpan {
  readonly fingerprint: string
  readonly from: string | null
  readonly to: string | null
}

/** The materials with other revisions, those of the later run first. */
function spansOf({ from, to }: ComparisonFacts): readonly RevisionSpan[] {
  const [before, after] = [from, to].map(
    ({ run }) => new Map(run.revisions.map((each) => [each.fingerprint, each.revision])),
  )
  const fingerprints = new Set([...(after?.keys() ?? []), ...(before?.keys() ?? [])])
  return Array.from(fingerprints, (fingerprint) => ({
    fingerprint,
    from: before?.get(fingerprint) ?? null,
    to: after?.get(fingerprint) ?? null,
  })).filter((span) => span.from !== span.to)
}

function materialOf(facts: ComparisonFacts, span: RevisionSpan): ComparedMaterial {
  return {
    ...span,
    description: facts.materials.get(span.fingerprint) ?? 'a former material',
    commits: facts.commits.get(span.fingerprint) ?? [],
  }
}

function upstreamOf({ from, to }: RevisionSpan): ComparedUpstream | null {
  const run = parseUpstream(to ?? from ?? '')
  return run && { pipeline: run.pipeline, stage: run.stage, from, to }
}

function variablesOf({ from, to, isSameSecret }: ComparisonFacts): readonly ComparedVariable[] {
  const names = new Set([...to.run.variables, ...from.run.variables].map(({ name }) => name))
  return [...names].flatMap((name) => {
    const before = from.run.variables.find((each) => each.name === name)
    const after = to.run.variables.find((each) => each.name === name)
    if (before && after && isSameValue(before, after, isSameSecret)) return []
    const secure = (after ?? before)?.secure ?? false
    return [{ name, secure, from: shown(before), to: shown(after) }]
  })
}

function isSameValue(
  one: RunVariable,
  other: RunVariable,
  isSameSecret: ComparisonFacts['isSameSecret'],
): boolean {
  if (one.secure !== other.secure) return false
  return one.value === other.value || (one.secure && isSameSecret(one.value, other.value))
}

function shown(variable: RunVariable | undefined): string | null {
  if (variable === undefined) return null
  return variable.secure ? HIDDEN : variable.value
}

/** The jobs of both runs of which the agent is another one, or has changed. */
function agentsOf({ from, to }: ComparisonFacts): readonly ComparedAgent[] {
  return to.stages.flatMap(({ stage, jobs }) => {
    const former = from.stages.find((each) => isSameName(each.stage.name, stage.name))
    return jobs.flatMap((job) => {
      const before = former?.jobs.find(({ name }) => isSameName(name, job.name)) ?? null
      return comparedAgent(stage, { job, before, agents: { from: from.agents, to: to.agents } })
    })
  })
}

function comparedAgent(
  stage: StageInstance,
  of: {
    readonly job: JobInstance
    readonly before: JobInstance | null
    readonly agents: Record<'from' | 'to', ComparedRun['agents']>
  },
): ComparedAgent[] {
  const { job, before, agents } = of
  if (before === null || before.id === job.originalJobId) return []
  const [from, to] = [agentOf(before, agents.from), agentOf(job, agents.to)]
  if (from === null || to === null) return []
  const changes = agentChanges(from, to)
  if (from.uuid === to.uuid && changes.length === 0) return []
  return [{ stage: stage.name, job: job.name, from: nameOf(from), to: nameOf(to), changes }]
}

/** Null for a job that no agent had; an agent of which nothing was recorded has its uuid. */
function agentOf(
  { agentUuid: uuid, ranOn }: JobInstance,
  agents: ComparedRun['agents'],
): AgentThen | null {
  if (uuid === null) return null
  return { uuid, recorded: ranOn === null ? null : (agents.get(ranOn) ?? null) }
}

function nameOf({ uuid, recorded }: AgentThen): JobAgent {
  return { uuid, hostname: recorded?.hostname ?? uuid }
}
