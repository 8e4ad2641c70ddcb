import type { DocumentChange } from '../../document/entities/change.ts'
import { wholeEntityWord } from '../../document/entities/entities.ts'
import { isSameName, nameKey } from '../../core/name-key.ts'

/** The pipeline of a comparison, and the agents that ran its jobs. */
export interface Concerned {
  readonly pipeline: string
  readonly agents: readonly string[]
}

/**
 * Whether a change of one of the entities that a pipeline is made from concerns it. An environment
 * has other pipelines and agents too, and an agent is there or not whatever the pipeline is.
 */
export function concerns(change: DocumentChange, { pipeline, agents }: Concerned): boolean {
  const { entity, path, subject, kind } = change
  if (kind === 'reformatted') return false
  const [prefix] = entity.split('/', 1)
  const [first = subject] = path
  if (prefix === 'environment') {
    const member = memberIn(first)
    if (member?.word === 'pipeline') return isSameName(member.name, pipeline)
    if (member?.word === 'agent') return agents.includes(member.name)
    return true
  }
  return prefix !== 'agent' || wholeEntityWord(change) === null
}

function memberIn(label: string): { readonly word: string; readonly name: string } | null {
  const [, word, name] = /^(pipeline|agent) (.+)$/s.exec(label) ?? []
  return word === undefined || name === undefined ? null : { word, name }
}

/** The place of a change in a pipeline or a template; null for what belongs to all of its stages. */
export interface PlaceOfChange {
  readonly stage: string | null
  readonly job: string | null
}

export function placeOfChange({ path, subject }: DocumentChange): PlaceOfChange {
  const steps = [...path, subject]
  return { stage: namedIn(steps, 'stage'), job: namedIn(steps, 'job') }
}

function namedIn(steps: readonly string[], word: string): string | null {
  const found = steps.find((step) => step.startsWith(`${word} `))
  return found === undefined ? null : found.slice(word.length + 1)
}

/** Parts of a pipeline that no job is made from. */
const ASIDE = [
  'labeltemplate',
  'trackingtool',
  'mingle',
  'timer',
  'group',
  'approval',
  'tab',
  'view permission',
  'operate permission',
  'administrator',
  'authorization',
  'approver',
  'islocked',
  'lockbehavior',
  'displayordering',
]

/** Values read from the artifacts of a job; properties of plugins, in tasks and packages, are part of what is run. */
const PROPERTY = /^property\b/

/** Whether no job sees a change: labels, timers, permissions, the order of things, tabs. */
export function isAside({ kind, path, subject }: DocumentChange): boolean {
  if (kind === 'reordered' && !subject.startsWith('task')) return true
  const steps = [...path, subject]
  return steps.some((step, at) => {
    const isOfJob = PROPERTY.test(step) && (steps[at - 1] ?? '').startsWith('job ')
    return isOfJob || ASIDE.some((word) => nameKey(step).startsWith(word))
  })
}
