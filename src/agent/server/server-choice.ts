import { abortedAfter } from '../../lib/aborted-after.ts'
import { pause } from '../../lib/pause.ts'
import { ServerAbsent } from './server-errors.ts'
import { withoutTrailingSlashes } from '../../lib/texts.ts'

/**
 * The time without an answer after which a server is probed, and the interval of further probes.
 */
const FIRST_LOOK_MS = 1_000
const LOOK_INTERVAL_MS = 2_000
const ANSWER_TIMEOUT_MS = 1_000
/** Milliseconds for which a server that gave no answer gets no calls. */
const LEFT_ALONE_MS = 30_000
const ALIVE = '/health/live'

/**
 * The servers of an agent, of which one gets the calls. The next one gets them after one that is
 * absent. One that is silent is left alone for a while: it may be frozen, take calls and answer none.
 */
export class ServerChoice {
  readonly #servers: readonly [URL, ...URL[]]
  readonly #leftUntil = new Map<URL, number>()
  #current: URL

  constructor([first, ...others]: readonly [string, ...string[]]) {
    this.#servers = [new URL(first), ...others.map((other) => new URL(other))]
    this.#current = this.#servers[0]
  }

  get current(): URL {
    return this.#current
  }

  /** Calls at once may find the same server absent: it is left once. */
  leave(absent: URL, { isSilent }: { readonly isSilent: boolean }): void {
    if (isSilent) this.#leftUntil.set(absent, performance.now() + LEFT_ALONE_MS)
    if (this.#current !== absent) return
    const place = this.#servers.indexOf(absent)
    const others = [...this.#servers.slice(place + 1), ...this.#servers.slice(0, place)]
    const now = performance.now()
    const answering = others.find((other) => (this.#leftUntil.get(other) ?? 0) <= now)
    this.#current = answering ?? others[0] ?? absent
  }

  /**
   * Aborted, with the reason, when a server is silent while another one answers. A call can wait
   * for any time while its server answers probes.
   */
  watch(server: URL, end: AbortSignal): AbortSignal {
    const silence = new AbortController()
    if (this.#servers.length > 1) this.#look(server, { silence, end }).catch(() => undefined)
    return silence.signal
  }

  async #look(
    server: URL,
    { silence, end }: { readonly silence: AbortController; readonly end: AbortSignal },
  ): Promise<void> {
    await pause(FIRST_LOOK_MS, end)
    while (!end.aborted) {
      if (!(await isThere(server, end)) && (await this.#answersBeside(server, end))) {
        silence.abort(new ServerAbsent(`The server does not answer: ${server.host} is silent`))
        return
      }
      await pause(LOOK_INTERVAL_MS, end)
    }
  }

  async #answersBeside(server: URL, end: AbortSignal): Promise<boolean> {
    const others = this.#servers.filter((other) => other !== server)
    const answers = await Promise.all(others.map((other) => isThere(other, end)))
    return answers.includes(true)
  }
}

/** Whether a server answers at all, with any status. */
async function isThere(server: URL, end: AbortSignal): Promise<boolean> {
  const url = new URL(`${withoutTrailingSlashes(server.pathname)}${ALIVE}`, server)
  const signal = abortedAfter(ANSWER_TIMEOUT_MS, end)
  try {
    const answer = await fetch(url, { signal, redirect: 'error' })
    await answer.body?.cancel()
    return true
  } catch {
    return false
  }
}
