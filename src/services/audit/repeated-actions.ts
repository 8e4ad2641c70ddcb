import type { Action } from '../../core/audit.ts'

/** How long repetitions are counted before they are noted, in milliseconds. */
const WINDOW = 60_000
/** More different ones than this are counted together. */
const KINDS = 1_000

/** Notes the first of many equal actions at once, and the others as a number. */
export class RepeatedActions implements AsyncDisposable {
  readonly #write: (action: Action, times: number) => Promise<void>
  readonly #counted = new Map<string, { readonly action: Action; times: number }>()
  #timer: NodeJS.Timeout | null = null

  constructor(write: (action: Action, times: number) => Promise<void>) {
    this.#write = write
  }

  async note(action: Action): Promise<void> {
    const key = this.#keyOf(action)
    const counted = this.#counted.get(key)
    if (counted) {
      counted.times += 1
      return
    }
    this.#counted.set(key, { action, times: 0 })
    this.#timer ??= setTimeout(() => void this.#flush(), WINDOW).unref()
    await this.#write(action, 1)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flush()
  }

  #keyOf({ user, action, address, status, claimed = '' }: Action): string {
    if (this.#counted.size >= KINDS) return 'others'
    return [user, action, address, status, claimed].join('\0')
  }

  async #flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const counted = [...this.#counted.values()]
    this.#counted.clear()
    await Promise.all(
      counted
        .filter(({ times }) => times > 0)
        .map(({ action, times }) => this.#write(action, times)),
    )
  }
}
