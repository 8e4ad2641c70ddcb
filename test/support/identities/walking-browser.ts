import { PUBLIC_URL } from './people-provider.ts'
import type { CalledService } from '../service/service.ts'

const PAGE = 'text/html,application/xhtml+xml'
const MAX_STEPS = 20

/** The page at which a browser arrives. */
export interface Arrival {
  readonly status: number
  readonly address: string
  readonly text: string
}

/** Follows redirects between the service and others with the cookies of each, as a browser does. */
export class WalkingBrowser {
  readonly #service: CalledService
  readonly #cookies = new Map<string, Map<string, string>>()

  constructor(service: CalledService) {
    this.#service = service
  }

  /** Goes where an address leads in the end. */
  async go(address: string): Promise<Arrival> {
    let url = new URL(address, PUBLIC_URL)
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const answer = await this.step(url.href)
      const location = answer.headers.get('location')
      if (location === null) {
        return { status: answer.status, address: url.href, text: await answer.text() }
      }
      await answer.body?.cancel()
      url = new URL(location, url)
    }
    throw new Error(`${address} leads on for ever`)
  }

  /** One request, with the cookies of its host. */
  async step(address: string): Promise<Response> {
    const url = new URL(address, PUBLIC_URL)
    const answer = await this.#send(url)
    const jar = this.#jarOf(url)
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }

  /** A cookie of the service; null where there is none. */
  cookie(name: string): string | null {
    return this.#jarOf(new URL(PUBLIC_URL)).get(name) ?? null
  }

  setCookie(name: string, value: string): void {
    this.#jarOf(new URL(PUBLIC_URL)).set(name, value)
  }

  #send(url: URL): Promise<Response> {
    const cookie = [...this.#jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: PAGE, ...(cookie === '' ? {} : { cookie }) }
    if (url.origin !== PUBLIC_URL) return fetch(url, { redirect: 'manual', headers })
    const host = { ...headers, host: url.host }
    return this.#service.fetch(`${url.pathname}${url.search}`, { as: null, headers: host })
  }

  #jarOf({ origin }: URL): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, jar)
    return jar
  }
}
