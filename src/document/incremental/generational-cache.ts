import { XML_LIMITS } from '../xml/xml-limits.ts'

/** The size that the cache may always have, in characters of the keys. */
const SLACK = Math.min(1_000_000, XML_LIMITS.maxBytes / 4)

/**
 * Caches recently used values by text. Above a fixed size, each round drops what neither the last
 * round nor the one before has used: the values of a large document take much of the memory.
 */
export class GenerationalCache<Value> {
  #young = new Map<string, Value>()
  #old: ReadonlyMap<string, Value> = new Map()
  #size = 0

  beginRound(): void {
    if (this.#size <= SLACK) return
    this.#old = this.#young
    this.#young = new Map()
    this.#size = 0
  }

  find(key: string): Value | null {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.keep(key, old)
    return old ?? null
  }

  keep(key: string, value: Value): void {
    this.#young.set(key, value)
    this.#size += key.length
  }
}
