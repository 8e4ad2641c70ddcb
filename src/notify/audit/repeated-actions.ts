import type { Action, Repetitions } from '../../core/service/audit.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { Clock } from '../../lib/clock.ts'

/** The time for which repetitions are counted before they are recorded. */
const WINDOW_MS = 60_000
/** The limit of distinct actions; further ones share a counter. */
const MAX_KINDS = 1_000
/** The limit of recorded targets of repetitions. */
const MAX_TARGETS = 5
const MAX_TARGET_LENGTH = 500

interface Counted {
  readonly action: Action
  /** The number of actions that were recorded singly. */
  noted: number
  /** The repetitions after those. */
  times: number
  first: number
  last: number
  readonly targets: Set<string>
}

export interface RepeatedActionsOptions {
  readonly clock: Clock
  readonly log: Log
  readonly write: (action: Action, repetitions: Repetitions) => Promise<void>
}

/** Records the first of many equal actions singly, and counts the others. */
export class RepeatedActions implements AsyncDisposable {
  readonly #options: RepeatedActionsOptions
  readonly #counted = new Map<string, Counted>()
  #timer: NodeJS.Timeout | null = null

  constructor(options: RepeatedActionsOptions) {
    this.#options = options
  }

  /** Records the action at once while it is among the first within the window; null where it is counted. */
  note(action: Action, atOnce: number): Promise<void> | null {
    const counted = this.#countedOf(action)
    if (counted.noted < atOnce) {
      counted.noted += 1
      return this.#options.write(action, {})
    }
    const now = this.#options.clock()
    counted.first = counted.times === 0 ? now : counted.first
    counted.last = now
    counted.times += 1
    if (counted.targets.size < MAX_TARGETS)
      counted.targets.add(action.target.slice(0, MAX_TARGET_LENGTH))
    return null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flush()
  }

  #countedOf(action: Action): Counted {
    this.#timer ??= setTimeout(() => this.#flushInBackground(), WINDOW_MS).unref()
    const key = keyOf(action)
    const isOneTooMany = this.#counted.size >= MAX_KINDS && !this.#counted.has(key)
    const kind = isOneTooMany ? othersThan(action) : action
    const name = isOneTooMany ? keyOf(kind) : key
    const counted = this.#counted.get(name) ?? newlyCounted(kind)
    this.#counted.set(name, counted)
    return counted
  }

  #flushInBackground(): void {
    inBackground(this.#options.log, 'Repeated actions could not be recorded', this.#flush())
  }

  async #flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const counted = [...this.#counted.values()].filter(({ times }) => times > 0)
    this.#counted.clear()
    await Promise.all(counted.map((each) => this.#writeRepetitions(each)))
  }

  #writeRepetitions({ action, times, first, last, targets }: Counted): Promise<void> {
    const [target = action.target] = targets
    return this.#options.write(
      { ...action, target },
      {
        first,
        last,
        ...(times > 1 ? { times } : {}),
        ...(targets.size > 1 ? { targets: [...targets] } : {}),
      },
    )
  }
}

function newlyCounted(action: Action): Counted {
  return { action, noted: 0, times: 0, first: 0, last: 0, targets: new Set() }
}

function keyOf({ user, action, address, outcome, status, claimed = '' }: Action): string {
  return [user, action, address, outcome, status, claimed].join('\0')
}

/** Stands for actions of too many kinds, without naming any. */
function othersThan({ outcome }: Action): Action {
  return { user: '', action: 'other-actions', target: '', address: '', outcome }
}
