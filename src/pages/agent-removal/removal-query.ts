import type { AgentOutcome } from '../agents/act-on-agents.ts'
import type { RemovalStep } from './removal.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'

/**
 * An agent that is being removed, and when it was disabled for that; null if not by this removal.
 */
export interface LeavingAgent {
  readonly uuid: string
  readonly since: number | null
}

/** The agents that are removed together, and those of them that are deleted already. */
export interface RemovalQuery {
  readonly leaving: readonly LeavingAgent[]
  readonly gone: readonly { readonly uuid: string; readonly name: string }[]
}

/** The number of agents on one page of the list. */
const PAGE_SIZE = 100

/**
 * Reads `agent` and `since`, and `gone` and `name`; the values of each pair belong together by
 * position.
 */
export function parseRemovalQuery(given: Readonly<Record<string, string[]>>): RemovalQuery {
  const { agent = [], since = [], gone = [], name = [] } = given
  if (agent.length + gone.length > PAGE_SIZE)
    throw malformed(`More than ${PAGE_SIZE} agents`, 'agent')
  return {
    leaving: agent.map((uuid, n) => {
      const time = since[n] ?? ''
      return { uuid, since: time === '' ? null : parseWholeNumber(time, 'since') }
    }),
    gone: gone.map((uuid, n) => ({ uuid, name: name[n] ?? uuid })),
  }
}

/** Renders the query as parameters of an address. */
export function removalQueryOf({
  leaving,
  gone,
}: RemovalQuery): (readonly [name: string, value: string])[] {
  return [
    ...leaving.flatMap(({ uuid, since }) => [
      ['agent', uuid] as const,
      ['since', since === null ? '' : String(since)] as const,
    ]),
    ...gone.flatMap(({ uuid, name }) => [['gone', uuid] as const, ['name', name] as const]),
  ]
}

/** The agents that this removal disabled. */
export function disabledHere({ leaving }: RemovalQuery): readonly LeavingAgent[] {
  return leaving.filter(({ since }) => since !== null)
}

/** The agents after a step: disabled ones get the current time, and deleted ones move to `gone`. */
export function afterStep(
  { leaving, gone }: RemovalQuery,
  { step, outcomes, now }: { step: RemovalStep; outcomes: readonly AgentOutcome[]; now: number },
): RemovalQuery {
  const done = new Map(outcomes.filter(({ isDone }) => isDone).map((each) => [each.uuid, each]))
  if (step === 'delete') {
    const left = leaving.filter(({ uuid }) => !done.has(uuid))
    return { leaving: left, gone: [...gone, ...done.values()] }
  }
  const since = step === 'enable' ? null : now
  return {
    leaving: leaving.map((each) => (done.has(each.uuid) ? { uuid: each.uuid, since } : each)),
    gone,
  }
}
