import type { DatedChange } from '../../configuration/changes/changes-between.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import { isSameName } from '../../core/name-key.ts'
import { parseUpstream } from '../engine/upstream-revision.ts'
import { isAside, placeOfChange } from './concerns.ts'
import type {
  ComparedAgent,
  ComparedMaterial,
  ComparedUpstream,
  ComparedVariable,
  ComparisonFacts,
  RunDifferences,
} from './run-comparison.ts'

const CAUSE_KINDS = ['material', 'configuration', 'upstream', 'variable', 'agent'] as const
export type CauseKind = (typeof CAUSE_KINDS)[number]

/** The thing that a cause is about. */
export type CauseSubject =
  | {
      readonly type: 'revision'
      /** The changed entity, such as `pipeline/app`. */
      readonly entity: string
      readonly number: number
      readonly base: number | null
    }
  | { readonly type: 'commit'; readonly fingerprint: string; readonly revision: string }
  | { readonly type: 'run'; readonly pipeline: string; readonly counter: number }
  | { readonly type: 'agent'; readonly uuid: string }

/** A possible reason why a run went another way than an earlier one. */
export interface RunCause {
  readonly kind: CauseKind
  readonly text: string
  /** Null for the sum of changes whose revisions the branch no longer has. */
  readonly about: CauseSubject | null
}

interface Suspect extends RunCause {
  readonly weight: number
}

/**
 * How likely each difference is the reason. The rarer something happens between two runs, the more
 * it explains: most runs have new commits, few have another task, and hardly any a variable that
 * was given by hand. A change that the failed job does not see comes last.
 */
const WEIGHTS = {
  variable: 100,
  ownJob: 95,
  ownStage: 90,
  wholePipeline: 88,
  environment: 86,
  resources: 84,
  tool: 82,
  machine: 78,
  upstream: 60,
  material: 58,
  earlierStage: 40,
  otherJob: 30,
  otherAgent: 25,
  otherAgentChange: 20,
  laterStage: 5,
  aside: 3,
} as const

/** The most causes that are named. */
const MAX_CAUSES = 50

/** The possible causes, the likeliest first. */
export function causesOf(facts: ComparisonFacts, found: RunDifferences): readonly RunCause[] {
  const focus = focusOf(facts)
  const suspects: Suspect[] = [
    ...found.variables.map((variable) => ofVariable(facts, variable)),
    ...found.changes.map((change) => ofChange(facts, change, focus)),
    ...found.agents.flatMap((agent) => ofAgent(agent, focus)),
    ...found.upstream.map(ofUpstream),
    ...found.materials.map((material) => ofMaterial(facts, material)),
  ]
  return suspects
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, MAX_CAUSES)
    .map(({ kind, text, about }) => ({ kind, text, about }))
}

/** The stage and the jobs that failed. */
interface Focus {
  readonly stage: string | null
  /** All of the stage count when none of its jobs failed. */
  readonly jobs: readonly string[]
  /** The stages that ran before it, from which it may have artifacts. */
  readonly earlier: readonly string[]
}

function focusOf({ to, stage }: ComparisonFacts): Focus {
  const place = to.stages.findIndex((each) => stage !== null && isSameName(each.stage.name, stage))
  const jobs = to.stages[place]?.jobs ?? []
  const failed = jobs.filter(({ result }) => result !== 'Passed')
  return {
    stage,
    jobs: (failed.length > 0 ? failed : jobs).flatMap(({ name, planName }) => [name, planName]),
    earlier: place < 0 ? [] : to.stages.slice(0, place).map((each) => each.stage.name),
  }
}

function ofVariable({ from, to }: ComparisonFacts, variable: ComparedVariable): Suspect {
  const { name: pipeline, counter } = to.run
  const subject = `The ${variable.secure ? 'secure ' : ''}variable ${variable.name} was given`
  return {
    kind: 'variable',
    weight: WEIGHTS.variable,
    text: `${subject} ${givenText(variable, from.run.counter)}`,
    about: { type: 'run', pipeline, counter },
  }
}

function givenText({ secure, from, to }: ComparedVariable, other: number): string {
  const value = (text: string) => (secure ? '' : `: ${text}`)
  if (from === null) return `to this run${value(to ?? '')}`
  if (to === null) return `to run ${other} and not to this one${value(from)}`
  return `with another value${value(`${from} → ${to}`)}`
}

function ofChange(
  { isBackwards }: ComparisonFacts,
  { change, made }: DatedChange,
  focus: Focus,
): Suspect {
  const { entity, label } = change
  const [prefix = ''] = entity.split('/', 1)
  const kind = prefix === 'agent' ? 'agent' : 'configuration'
  const what = `the ${prefix} ${label}: ${renderChange(change)}`
  const weight = weightOfChange(change, focus)
  if (made === null) {
    return { kind, text: `The configuration changed ${what}`, about: null, weight }
  }
  const { number, base, revision } = made
  const revised = `r${number} by ${revision.username}`
  const text = isBackwards ? `${revised} is taken back: ${what}` : `${revised} changed ${what}`
  return { kind, text, about: { type: 'revision', entity, number, base }, weight }
}

function weightOfChange(change: DatedChange['change'], focus: Focus): number {
  const [prefix] = change.entity.split('/', 1)
  if (isAside(change)) return WEIGHTS.aside
  if (prefix === 'agent') {
    const isResource = [...change.path, change.subject].some((step) => step.startsWith('resource'))
    return isResource ? WEIGHTS.resources : WEIGHTS.otherAgentChange
  }
  if (prefix === 'environment') return WEIGHTS.environment
  const { stage, job } = placeOfChange(change)
  if (stage === null || focus.stage === null) return WEIGHTS.wholePipeline
  if (!isSameName(stage, focus.stage)) {
    const isEarlier = focus.earlier.some((name) => isSameName(name, stage))
    return isEarlier ? WEIGHTS.earlierStage : WEIGHTS.laterStage
  }
  if (job === null) return WEIGHTS.ownStage
  const isOwn = focus.jobs.some((name) => isSameName(name, job))
  return isOwn ? WEIGHTS.ownJob : WEIGHTS.otherJob
}

function ofAgent(agent: ComparedAgent, focus: Focus): Suspect[] {
  const { to } = agent
  if (to === null) return []
  const isOwn =
    focus.stage === null ||
    (isSameName(agent.stage, focus.stage) && focus.jobs.some((name) => isSameName(name, agent.job)))
  const job = `${agent.stage}/${agent.job}`
  return agent.changes.map(({ kind, text }) => ({
    kind: 'agent',
    weight: isOwn ? AGENT_WEIGHTS[kind] : WEIGHTS.otherAgentChange,
    text: `The agent ${to.hostname} of the job ${job} ${text}`,
    about: { type: 'agent', uuid: to.uuid },
  }))
}

const AGENT_WEIGHTS = {
  agent: WEIGHTS.otherAgent,
  resources: WEIGHTS.resources - 1,
  environments: WEIGHTS.otherAgentChange,
  tool: WEIGHTS.tool,
  machine: WEIGHTS.machine,
} as const

function ofUpstream({ pipeline, stage, from, to }: ComparedUpstream): Suspect {
  const run = parseUpstream(to ?? '') ?? parseUpstream(from ?? '')
  const name = `${pipeline}/${stage}`
  return {
    kind: 'upstream',
    weight: WEIGHTS.upstream,
    text: upstreamText(name, from, to),
    about: run && { type: 'run', pipeline: run.pipeline, counter: run.pipelineCounter },
  }
}

function upstreamText(name: string, from: string | null, to: string | null): string {
  if (to === null) return `The upstream stage ${name} is no longer a material; it was ${from}`
  if (from === null) return `The upstream stage ${name} is a new material: ${to}`
  return `The upstream stage ${name} has another run: ${from} → ${to}`
}

/** More of a comment is not repeated. */
const MAX_COMMENT_LENGTH = 80
const SHOWN_DIGITS = 12

function ofMaterial({ from, to }: ComparisonFacts, material: ComparedMaterial): Suspect {
  const { fingerprint, description, commits } = material
  const [newest] = commits
  const revision = newest?.revision ?? material.to ?? material.from ?? ''
  const counters = { from: from.run.counter, to: to.run.counter }
  return {
    kind: 'material',
    weight: WEIGHTS.material,
    text: newest ? commitsText(material, counters) : revisionText(description, material),
    about: { type: 'commit', fingerprint, revision },
  }
}

function commitsText(
  { description, commits }: ComparedMaterial,
  { from, to }: Readonly<Record<'from' | 'to', number>>,
): string {
  const [newest] = commits
  if (!newest) return description
  const { revision, username, comment } = newest
  const [line = ''] = comment.split('\n', 1)
  const said = line === '' ? '' : `: “${line.slice(0, MAX_COMMENT_LENGTH)}”`
  const commit = `${short(revision)} by ${username}${said}`
  const subject = `The material ${description} ${from < to ? 'has' : 'is without'}`
  const since = `since run ${Math.min(from, to)}`
  if (commits.length === 1) return `${subject} a commit ${since}, ${commit}`
  return `${subject} ${commits.length} commits ${since}, the newest ${commit}`
}

function revisionText(description: string, { from, to }: ComparedMaterial): string {
  if (to === null) return `The material ${description} is gone; it was at ${short(from ?? '')}`
  if (from === null) return `The material ${description} is new, at ${short(to)}`
  return `The material ${description} went from ${short(from)} to ${short(to)}`
}

function short(revision: string): string {
  return revision.slice(0, SHOWN_DIGITS)
}
