import { setTimeout as wait } from 'node:timers/promises'
import { gives, guardedPaths, isOpen, send, spellingsOf } from '../http/anonymous-calls.ts'
import { DescribedApi } from '../service/described-api.ts'
import { BUILT } from './soak-document.ts'
import type { SoakedServer } from './soaked-server.ts'

/** Asks without credentials for everything that needs them, in every spelling; no answer may give anything. */
export function knockUntilGone(server: SoakedServer): Promise<void>[] {
  const knocks = new Knocks(server)
  return [server.untilGone(() => knocks.next())]
}

class Knocks {
  readonly #server: SoakedServer
  #waiting: ReturnType<typeof spellingsOf> = []

  constructor(server: SoakedServer) {
    this.#server = server
  }

  async next(): Promise<void> {
    const request = this.#waiting.pop()
    if (request === undefined) return this.#begin()
    const answer = await send(this.#server.url, request)
    const asked = `${request.target} with ${request.headers.join(', ')}`
    if (gives(answer)) this.#server.ledger.complain(`${asked} gives ${answer.slice(0, 300)}`)
    this.#server.ledger.count('calls of intruders')
    await wait(5)
  }

  async #begin(): Promise<void> {
    const { operations } = await DescribedApi.read(this.#server)
    const open = new Set(
      operations.filter(({ security }) => security.length === 0).map(({ path }) => path),
    )
    const paths = new Set(guardedPaths(operations, BUILT[0] ?? 'app'))
    this.#waiting = [...paths]
      .flatMap(spellingsOf)
      .filter((request) => !isOpen(request, open))
      .map((request) => ({ request, place: Math.random() }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ request }) => request)
  }
}
