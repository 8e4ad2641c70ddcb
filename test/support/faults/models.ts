import type { Model } from './linearizability.ts'

/** The values that the configuration had, newest first. */
export interface Values {
  readonly value: string
  readonly before: Values | null
}

/** A call about the configuration; a save names the value that it began from. */
export type ConfigurationCall =
  | { readonly kind: 'save'; readonly from: string; readonly to: string }
  | { readonly kind: 'stale'; readonly from: string }
  | { readonly kind: 'read'; readonly value: string }
  | { readonly kind: 'list'; readonly values: readonly string[] }
  | { readonly kind: 'snapshot'; readonly value: string }

/** A register with compare-and-swap, and the list of all that it held. No value is saved twice. */
export function configurationModel(first: string): Model<Values, ConfigurationCall> {
  return {
    initial: { value: first, before: null },
    apply(state, call) {
      switch (call.kind) {
        case 'save':
          return state.value === call.from ? { value: call.to, before: state } : null
        case 'stale':
          return state.value === call.from ? null : state
        case 'read':
          return state.value === call.value ? state : null
        case 'list':
          return isList(state, call.values) ? state : null
        case 'snapshot':
          return has(state, call.value) ? state : null
      }
    },
    keyOf: ({ value }) => value,
  }
}

function isList(state: Values, values: readonly string[]): boolean {
  let rest: Values | null = state
  for (const value of values) {
    if (rest?.value !== value) return false
    rest = rest.before
  }
  return rest === null
}

function has(state: Values, value: string): boolean {
  for (let rest: Values | null = state; rest !== null; rest = rest.before) {
    if (rest.value === value) return true
  }
  return false
}

/** The runs of a pipeline without agents: each goes on until it is cancelled, beside others. */
export interface Runs {
  readonly counter: number
  /** How many go on. */
  readonly active: number
  /** Whether the newest one of all does: it is the first to be cancelled. */
  readonly isNewestActive: boolean
}

/** A call; facts that are unknown because it got no answer are null. */
export type RunCall =
  | { readonly kind: 'start'; readonly counter: number | null }
  /** Whether there was something to cancel: that is the newest run that goes on. */
  | { readonly kind: 'cancel'; readonly was: boolean | null }
  | { readonly kind: 'look'; readonly counter: number; readonly isActive: boolean }

export const RUNS_MODEL: Model<Runs, RunCall> = {
  initial: { counter: 0, active: 0, isNewestActive: false },
  apply(state, call) {
    const { counter, active, isNewestActive } = state
    switch (call.kind) {
      case 'start': {
        if (call.counter !== null && call.counter !== counter + 1) return null
        return { counter: counter + 1, active: active + 1, isNewestActive: true }
      }
      case 'cancel': {
        if (call.was !== null && call.was !== active > 0) return null
        return { counter, active: Math.max(active - 1, 0), isNewestActive: false }
      }
      case 'look': {
        const isAsSeen = call.counter === counter && call.isActive === isNewestActive
        return isAsSeen ? state : null
      }
    }
  },
  keyOf: ({ counter, active, isNewestActive }) => `${counter}: ${active} ${isNewestActive}`,
}

/** An agent that is enabled or not. */
export type SwitchCall =
  | { readonly kind: 'set'; readonly on: boolean }
  | { readonly kind: 'look'; readonly on: boolean }

export const SWITCH_MODEL: Model<boolean, SwitchCall> = {
  initial: true,
  apply: (state, { kind, on }) => (kind === 'set' || state === on ? on : null),
  keyOf: String,
}

/** A proposal, and the newest review of its only reviewer, who may save the change alone. */
export interface ProposalState {
  readonly state: 'open' | 'merged' | 'closed'
  readonly review: 'approve' | 'reject' | null
}

export type ProposalCall =
  | { readonly kind: 'review'; readonly decision: 'approve' | 'reject' }
  | { readonly kind: 'merge' }
  /** A merge that a rejection holds up. */
  | { readonly kind: 'held-up' }
  /** A call about one that has ended. */
  | { readonly kind: 'over' }
  | ({ readonly kind: 'look' } & ProposalState)

/** A review replaces the one before, and one merge ends it. */
export const PROPOSAL_MODEL: Model<ProposalState, ProposalCall> = {
  initial: { state: 'open', review: null },
  apply(now, call) {
    const isOpen = now.state === 'open'
    switch (call.kind) {
      case 'review':
        return isOpen ? { ...now, review: call.decision } : null
      case 'merge':
        return isOpen && now.review !== 'reject' ? { ...now, state: 'merged' } : null
      case 'held-up':
        return isOpen && now.review === 'reject' ? now : null
      case 'over':
        return isOpen ? null : now
      case 'look':
        return call.state === now.state && call.review === now.review ? now : null
    }
  },
  keyOf: ({ state, review }) => `${state} ${review}`,
}
