import { afterEach, beforeEach } from 'vitest'
import type { StateStore } from '../../../src/state/state-store.ts'
import type { Upgrade } from '../../../src/state/upgrades.ts'

/** Where one store lives, empty at first. */
export interface StatePlace {
  open(upgrades?: readonly Upgrade[]): Promise<StateStore>
  load(lines: AsyncIterable<string>, upgrades?: readonly Upgrade[]): Promise<void>
  remove(): Promise<void>
}

/** A place of its own for every test, and the store that is open there. */
export interface OpenedState {
  readonly place: StatePlace
  store: StateStore
  /** The same place after the store was closed. */
  reopened(): Promise<StateStore>
}

export function openedState(freshPlace: () => Promise<StatePlace>): OpenedState {
  let place: StatePlace
  let store: StateStore

  beforeEach(async () => {
    place = await freshPlace()
    store = await place.open()
  })

  afterEach(async () => {
    await store[Symbol.asyncDispose]()
    await place.remove()
  })

  return {
    get place() {
      return place
    },
    get store() {
      return store
    },
    set store(opened) {
      store = opened
    },
    reopened: async () => {
      await store[Symbol.asyncDispose]()
      store = await place.open()
      return store
    },
  }
}
