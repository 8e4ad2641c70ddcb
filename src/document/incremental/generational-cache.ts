/** The size that the cache may always have, in characters of the keys. */
const SLACK = 1_000_000

/**
 * Caches recently used values by text, at most a few times what the last round used. Above that
 * limit, a new round drops the values that no round has used since the last drop.
 */
export class GenerationalCache<Value> {
  #young = new Map<string, Value>()
  #old: ReadonlyMap<string, Value> = new Map()
  #size = 0
  #used = 0

  beginRound(): void {
    if (this.#size > 2 * this.#used + SLACK) {
      this.#old = this.#young
      this.#young = new Map()
      this.#size = 0
    }
    this.#used = 0
  }

  find(key: string): Value | null {
    const young = this.#young.get(key)
    if (young !== undefined) {
      this.#used += key.length
      return young
    }
    const old = this.#old.get(key)
    if (old !== undefined) this.keep(key, old)
    return old ?? null
  }

  keep(key: string, value: Value): void {
    this.#young.set(key, value)
    this.#size += key.length
    this.#used += key.length
  }
}
