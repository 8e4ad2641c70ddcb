import { digestOf } from '../../core/digest.ts'
import { CachedResponse } from '../../http/cached-response.ts'

/**
 * The last list of agents as an answer. It serves again, with its compressed forms, as long as the
 * list says the same of each agent: thousands of agents make megabytes.
 */
export class AgentList {
  #entries: readonly string[] = []
  #response: CachedResponse | null = null

  /** The answer with these entries, each of them JSON. */
  responseWith(entries: readonly string[]): CachedResponse {
    if (this.#response === null || !areAlike(entries, this.#entries)) {
      this.#response = responseOf(`[${entries.join(',')}]`)
      this.#entries = entries
    }
    return this.#response
  }
}

function areAlike(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((entry, at) => entry === other[at])
}

function responseOf(json: string): CachedResponse {
  const bytes = new TextEncoder().encode(json)
  const type = 'application/json; charset=utf-8'
  return new CachedResponse(bytes, { type, etag: digestOf(bytes), immutable: false })
}
