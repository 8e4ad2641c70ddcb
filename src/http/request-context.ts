import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { Principal } from '../core/principal.ts'
import type { AddressList } from './address-list.ts'
import type { Connection } from './listen.ts'
import { getPath } from 'hono/utils/url'
import { withoutTrailingSlashes } from '../lib/texts.ts'

/**
 * Default headers of every answer: it is for its caller alone, the browser must trust its content type,
 * and may not run, load or style anything by it, not even in a document with a style sheet.
 */
const DEFAULTS = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const

/** The header that names a request in its answer, and that a caller may name it with. */
const REQUEST_ID = 'x-request-id'

/** The header with the newest entry of the log that an answer knows. */
export const SEQUENCE = 'x-cairn-sequence'

/** No user: the caller of a public route. */
export const NOBODY: Principal = { username: '' }

/** Request ids that a caller may choose, to find its request in the logs. */
const WELL_FORMED = /^[A-Za-z0-9._:@/+=-]{1,128}$/

/** Distinguishes the requests of two runs of the service. */
const RUN = randomBytes(6).toString('base64url')
let requests = 0

/** The id that a caller has given its request when it is fit for logs, or a new one. */
function requestIdOf(given: string | null): string {
  return given !== null && WELL_FORMED.test(given) ? given : `${RUN}-${(requests += 1)}`
}

/** An action of a form of a page, for the audit log, where the route does not say it all. */
export interface AuditAction {
  /** Such as `enable-agent`. */
  readonly action: string
  /** The path of the call that does the same. */
  readonly target: string
  /** All subjects of an action that has several. */
  readonly targets?: readonly string[]
  /** The interface that it came by. */
  readonly via?: 'mcp'
  /** How it ended, where that is not how the request as a whole did. */
  readonly ended?: { readonly reason: string | null }
}

/** Answers a request that was let in. */
export type AnswerRequest = (
  request: Request,
  context: RequestContext,
) => Response | Promise<Response>

/** A route that answers, as logs, counts and the audit log know it. */
export interface AnsweringRoute {
  /** Method and pattern, such as `GET /api/agents`. */
  readonly name: string
  /** The name of its action in the audit log. */
  readonly action: string
  /** Whether it changes nothing that anybody answers for: it is noted only when refused. */
  readonly isQuiet: boolean
  /** Whether it is an action although its method is that of a read. */
  readonly acts: boolean
  /** Whether its answer waits until there is something to say. */
  readonly isHeld: boolean
}

/** The environment of every route: the facts about a request beside the request itself. */
export interface RouteEnv {
  readonly Bindings: RequestContext
}

export interface RequestContextOptions {
  readonly basePath: string
  /** Addresses of proxies that are trusted to name the client. */
  readonly proxies: AddressList
  /** The position of this server in the shared log; null where there is none. */
  readonly sequence?: (() => number) | null
}

/** The credential of a call, which may be revoked before the call is over. */
export interface CallCredential {
  /**
   * Asserts that the credential is still valid: by a recent check, or by asking its store now.
   *
   * @throws {ServiceError} `not-authorized`, `token-refused`, or `not-permitted`.
   */
  assertGood(seen: 'recently' | 'now'): Promise<void>
  /** Whether it was found to be good no longer; absent for those of agents. */
  readonly isGone?: boolean
}

/** The facts about a request, filled in as it passes the layers. */
export class RequestContext {
  readonly id: string
  readonly basePath: string
  /** The path without base path and trailing slashes. */
  readonly path: string
  /** Where the connection comes from. */
  readonly address: string
  /** The caller, once the credentials have been read. */
  principal: Principal = NOBODY
  /** Null for a call that depends on none. */
  credential: CallCredential | null = null
  /** Whether the credential was good when the body had come: the call is carried out from then on. */
  isDecided = false
  /** Null while no route answers, and where another server does. */
  route: AnsweringRoute | null = null
  /** The code of the error that it is answered with, or null. */
  reason: string | null = null
  /** The name in a log-in form with a wrong password, or null. */
  claimed: string | null = null
  /** The subject of its one action, where that is not its path. */
  auditTarget: string | null = null
  /** The actions it took; empty where its route names the one action. */
  auditActions: readonly AuditAction[] = []

  /** Whether another server has answered, and has written the audit log. */
  isAnsweredElsewhere = false

  /** False for a call that changed nothing; the audit log leaves it out. */
  isNews = true

  readonly #connection: Connection | null
  readonly #sequence: (() => number) | null
  #end: AbortController | null = null
  #isEnded = false

  /** The connection is null for a request that was made in this process. */
  constructor(
    request: Request,
    connection: Connection | null,
    { basePath, proxies, sequence = null }: RequestContextOptions,
  ) {
    this.basePath = basePath
    this.#sequence = sequence
    this.id = requestIdOf(request.headers.get(REQUEST_ID))
    this.path = innerPath(request, basePath)
    this.address = connection ? addressOf(connection, proxies) : 'local'
    this.#connection = connection
  }

  /** Aborted when the call ends because its credential was revoked. */
  get ended(): AbortSignal {
    this.#end ??= new AbortController()
    if (this.#isEnded) this.#end.abort()
    return this.#end.signal
  }

  /** Whether nothing of the answer is left to be sent. */
  get isSent(): boolean {
    if (this.#connection === null) return true
    const { outgoing } = this.#connection
    return outgoing.writableFinished || outgoing.destroyed
  }

  /** Calls back when an answer that is being sent has left or was cut off. */
  onceSent(listener: () => void): void {
    this.#connection?.outgoing.once('close', listener)
  }

  /** Whether an error says that the client closed the connection before its request was complete. */
  isOfClient(error: Error): boolean {
    return this.#connection?.incoming.errored === error
  }

  /** Aborts whatever waits for this call. */
  end(): void {
    this.#isEnded = true
    this.#end?.abort()
  }

  /** Cuts an answer off while it is sent, so that it cannot be taken for whole. */
  cutOff(): void {
    this.#connection?.outgoing.destroy()
  }

  /**
   * Asserts that the credential is still good now that the body has come.
   *
   * @throws {ServiceError} as {@link CallCredential.assertGood}
   */
  async decide(): Promise<void> {
    await this.credential?.assertGood('now')
    this.isDecided = true
  }

  /**
   * Ends a waiting request as soon as its caller closes the connection, even if only its own half:
   * a caller that is gone would be given what another one could have.
   */
  endWithCaller(): void {
    if (this.#connection === null) return
    const { incoming, outgoing } = this.#connection
    const end = () => outgoing.destroy()
    incoming.socket.once('end', end)
    outgoing.once('close', () => incoming.socket.off('end', end))
    if (incoming.socket.readableEnded) end()
  }

  /** Adds the id and the default headers to any answer; its own headers take precedence. */
  setHeaders(): void {
    if (this.#connection === null) return
    const { outgoing } = this.#connection
    outgoing.setHeader(REQUEST_ID, this.id)
    for (const [name, value] of Object.entries(DEFAULTS)) outgoing.setHeader(name, value)
    if (this.#sequence !== null) outgoing.setHeader(SEQUENCE, String(this.#sequence()))
  }
}

/** The address of the client; behind a trusted proxy, the last one that the proxy reports. */
function addressOf({ incoming }: Connection, proxies: AddressList): string {
  const address = incoming.socket.remoteAddress ?? 'local'
  if (!proxies.has(address)) return address
  const forwarded = incoming.headers['x-forwarded-for']
  const last = typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined
  return last && isIP(last) > 0 ? last : address
}

/** The path without base path and trailing slashes; outside the base path, one that nothing matches. */
export function innerPath(request: Request, basePath: string): string {
  const path = getPath(request)
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return '/\0outside'
  const inner = path.slice(basePath.length)
  return withoutTrailingSlashes(inner) || '/'
}
