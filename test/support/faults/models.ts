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
  /** The runs that go on, oldest first. */
  readonly active: readonly number[]
}

/** What cannot be known of a call without an answer is null. */
export type RunCall =
  | { readonly kind: 'start'; readonly counter: number | null }
  /** Whether there was something to cancel: that is the newest run that goes on. */
  | { readonly kind: 'cancel'; readonly was: boolean | null }
  | { readonly kind: 'look'; readonly counter: number; readonly isActive: boolean }

export const RUNS_MODEL: Model<Runs, RunCall> = {
  initial: { counter: 0, active: [] },
  apply(state, call) {
    const { counter, active } = state
    switch (call.kind) {
      case 'start': {
        if (call.counter !== null && call.counter !== counter + 1) return null
        return { counter: counter + 1, active: [...active, counter + 1] }
      }
      case 'cancel': {
        if (call.was !== null && call.was !== active.length > 0) return null
        return { counter, active: active.slice(0, -1) }
      }
      case 'look': {
        const isActive = active.at(-1) === counter && counter > 0
        return call.counter === counter && call.isActive === isActive ? state : null
      }
    }
  },
  keyOf: ({ counter, active }) => `${counter}: ${active.join()}`,
}

/** An agent that is enabled or not. */
export type SwitchCall =
  { readonly kind: 'set'; readonly on: boolean } | { readonly kind: 'look'; readonly on: boolean }

export const SWITCH_MODEL: Model<boolean, SwitchCall> = {
  initial: true,
  apply: (state, { kind, on }) => (kind === 'set' || state === on ? on : null),
  keyOf: String,
}
