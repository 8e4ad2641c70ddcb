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

/** The runs of a pipeline without agents: a run goes on until it is cancelled. */
export interface Runs {
  readonly counter: number
  readonly isActive: boolean
}

export type RunCall =
  | { readonly kind: 'start'; readonly counter: number | null }
  | { readonly kind: 'refused' }
  /** Whether there was something to cancel; null where that is not known. */
  | { readonly kind: 'cancel'; readonly was: boolean | null }
  | { readonly kind: 'look'; readonly counter: number; readonly isActive: boolean }

export const RUNS_MODEL: Model<Runs, RunCall> = {
  initial: { counter: 0, isActive: false },
  apply(state, call) {
    const { counter, isActive } = state
    switch (call.kind) {
      case 'start': {
        if (isActive || (call.counter !== null && call.counter !== counter + 1)) return null
        return { counter: counter + 1, isActive: true }
      }
      case 'refused':
        return isActive ? state : null
      case 'cancel':
        return call.was === null || call.was === isActive ? { counter, isActive: false } : null
      case 'look':
        return call.counter === counter && call.isActive === isActive ? state : null
    }
  },
  keyOf: ({ counter, isActive }) => `${counter} ${isActive}`,
}

/** An agent that is enabled or not. */
export type SwitchCall =
  { readonly kind: 'set'; readonly on: boolean } | { readonly kind: 'look'; readonly on: boolean }

export const SWITCH_MODEL: Model<boolean, SwitchCall> = {
  initial: true,
  apply: (state, { kind, on }) => (kind === 'set' || state === on ? on : null),
  keyOf: String,
}
