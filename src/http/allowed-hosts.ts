import { isIP } from 'node:net'

/** `name`, `name:port` or `[address]:port`. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\\\s[\]]+))(?::\d{1,5})?$/

/**
 * Decides by the Host header whether a request was meant for this service.
 *
 * A page of another site can make its own name resolve to this machine (DNS rebinding), and its
 * scripts then count as this site's in the browser; the header still has the other name. IP
 * addresses and names without a dot cannot be taken over in this way, since public DNS does not
 * resolve them. All other names must be configured.
 */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>
  /** The newest header that was good: nearly all requests have the same. */
  #newest: string | undefined

  constructor(names: Iterable<string>) {
    this.#names = new Set([...names].map(normalise))
  }

  /** A request of HTTP/1.0 has no such header; no browser sends one. */
  includes(header: string | undefined): boolean {
    if (header === this.#newest) return true
    const isGood = this.#isGood(header)
    if (isGood) this.#newest = header
    return isGood
  }

  #isGood(header: string | undefined): boolean {
    if (header === undefined) return true
    const [, address, name] = HOST.exec(header.toLowerCase()) ?? []
    if (address !== undefined) return isIP(address) === 6
    if (name === undefined) return false
    const host = normalise(name)
    const isLocal = !host.includes('.') || host.endsWith('.localhost')
    return isLocal || isIP(host) === 4 || this.#names.has(host)
  }
}

/** Lower case, without the dot that may end a full name. */
function normalise(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
