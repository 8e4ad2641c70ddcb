/** No other host and no address without TLS can set a cookie of such a name. */
const SECURE = '__Host-'

/** The cookie of a session, or of a log-in that is under way, by the address that people use. */
export class SessionCookie {
  readonly #name: string
  readonly #root: string
  readonly #secureHost: string | null

  /** @param place The address that people use, as the operator gave it. */
  constructor(place: { basePath: string; publicUrl: string | null }, name = 'cairn') {
    const { basePath, publicUrl } = place
    this.#name = name
    this.#root = `${basePath}/`
    const url = publicUrl === null ? null : new URL(publicUrl)
    this.#secureHost = url?.protocol === 'https:' ? url.host : null
  }

  /** The secret in the request; null without a session. */
  read(request: Request): string | null {
    const cookies = request.headers.get('cookie')
    if (cookies === null) return null
    const start = `${this.#nameFor(request)}=`
    const found = cookies
      .split(';')
      .map((cookie) => cookie.trim())
      .find((cookie) => cookie.startsWith(start))
    return found?.slice(start.length) || null
  }

  /** The header that gives the browser a session; it ends with the browser at the latest. */
  set(request: Request, secret: string): string {
    return `${this.#start(request, secret)}; HttpOnly; SameSite=Lax`
  }

  /** The header that takes it away. */
  clear(request: Request): string {
    return `${this.#start(request, '')}; HttpOnly; SameSite=Lax; Max-Age=0`
  }

  #start(request: Request, secret: string): string {
    const name = this.#nameFor(request)
    return name === this.#name
      ? `${name}=${secret}; Path=${this.#root}`
      : `${name}=${secret}; Path=/; Secure`
  }

  /** The name of the cookie. A request that came around the proxy has no TLS. */
  #nameFor(request: Request): string {
    const host = request.headers.get('host')?.replace(/:443$/, '')
    const isSecure = this.#secureHost !== null && host === this.#secureHost
    return isSecure ? `${SECURE}${this.#name}` : this.#name
  }
}
