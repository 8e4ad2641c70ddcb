/** What may be kept beside what was used last, in characters of the keys. */
const SLACK = 1_000_000

/**
 * Values by text, of which those are kept that were used lately: never more than a few times what
 * the last round used. A round that begins when much has come together drops what the rounds since
 * the one before did not use.
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
