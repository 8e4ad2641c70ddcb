import { isIP } from 'node:net'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { Client, ResultCodeError, type SearchOptions } from 'ldapts'

export interface LdapServer {
  readonly url: string
  readonly startTls: boolean
  /** Certificates of authorities, as PEM; those of Node when null. */
  readonly ca: string | null
}

/** A search, and the attributes to return. */
export interface LdapSearch {
  readonly base: string
  readonly filter: string
  readonly attributes: readonly string[]
}

/** An entry of a directory; the names of its attributes are in lower case. */
export interface LdapEntry {
  readonly dn: string
  readonly attributes: ReadonlyMap<string, readonly string[]>
}

/** Binary attributes, which are converted to hexadecimal digits. */
const BINARY = ['objectGUID'] as const

/** The time for all requests of a log-in to a directory server, in milliseconds. */
const LOG_IN_TIMEOUT_MS = 5_000

/** A connection to one directory server, for one log-in. */
export class LdapConnection {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  /**
   * Opens a connection to a server for some requests, and closes it afterwards. Fails when the
   * server is away, is too slow, or has no certificate of these authorities.
   */
  static async with<Result>(
    server: LdapServer,
    log: Log,
    ask: (connection: LdapConnection) => Promise<Result>,
  ): Promise<Result> {
    const tlsOptions = server.ca === null ? {} : { ca: server.ca }
    const isSecure = server.url.startsWith('ldaps:')
    const limits = { timeout: LOG_IN_TIMEOUT_MS, connectTimeout: LOG_IN_TIMEOUT_MS }
    const client = new Client({ url: server.url, ...limits, ...(isSecure ? { tlsOptions } : {}) })
    const asked = async () => {
      if (server.startTls) await client.startTLS({ ...tlsOptions, ...namedHost(server.url) })
      return ask(new LdapConnection(client))
    }
    const deadline = new Deadline(LOG_IN_TIMEOUT_MS)
    try {
      return await Promise.race([asked(), deadline.passed])
    } finally {
      deadline.clear()
      inBackground(log, 'A connection to a directory server could not be closed', client.unbind())
    }
  }

  /** Throws where the server does not take the password. */
  async bind(dn: string, password: string): Promise<void> {
    await this.#client.bind(dn, password)
  }

  /**
   * Whether this is the password of the entry. A bind without a password succeeds, and proves
   * nothing.
   */
  async isPasswordOf(dn: string, password: string): Promise<boolean> {
    if (password === '') return false
    try {
      await this.bind(dn, password)
      return true
    } catch (error) {
      if (isRefusal(error)) return false
      throw error
    }
  }

  async search({ base, filter, attributes }: LdapSearch): Promise<LdapEntry[]> {
    const options: SearchOptions = {
      scope: 'sub',
      filter: withCharacters(filter),
      attributes: [...attributes],
      explicitBufferAttributes: [...BINARY],
      paged: true,
    }
    const { searchEntries } = await this.#client.search(base, options)
    return searchEntries.map(({ dn, ...values }) => ({
      dn,
      attributes: new Map(
        Object.entries(values).map(([name, value]) => [name.toLowerCase(), textsOf(value)]),
      ),
    }))
  }
}

/**
 * The results of a bind by which a server says that this password lets nobody in here: it is wrong
 * (49), or there is none (48), or the entry is locked, inactive or gone (19, 50, 53, 32). Any other
 * result, such as a referral or a demand for TLS, is about the server.
 */
const REFUSALS: readonly number[] = [19, 32, 48, 49, 50, 53]

/** Whether the server has refused the password, rather than to check it. */
function isRefusal(error: unknown): boolean {
  return error instanceof ResultCodeError && REFUSALS.includes(error.code)
}

/** A filter with characters in place of their escaped bytes, each of which the library sends as a character. */
function withCharacters(filter: string): string {
  return filter.replaceAll(/(?:\\[89a-f][\da-f])+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString('utf8'),
  )
}

/** The certificate has to name the host of the address, also where the connection begins without TLS. */
function namedHost(url: string) {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) > 0 ? { host } : { host, servername: host }
}

function textsOf(value: Buffer | Buffer[] | string | string[]): readonly string[] {
  return [value].flat().map((each) => (typeof each === 'string' ? each : each.toString('hex')))
}

/** Ends a wait with an error, unless it is cleared before. */
class Deadline {
  readonly passed: Promise<never>
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number) {
    this.passed = new Promise((_resolve, reject) => {
      const message = `there was no answer within ${milliseconds / 1_000} s`
      this.#timer = setTimeout(() => reject(new Error(message)), milliseconds)
    })
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
