import * as client from 'openid-client'
import { z } from 'zod'
import { reasonOf, type ServiceError, unavailable } from '../../core/errors.ts'
import { WrongSettingError } from '../reachability.ts'
import { refusedLogIn } from '../refused-log-in.ts'
import type { Claims } from './oidc-claims.ts'
import type { LoginAttempt } from './login-attempts.ts'

export interface OidcProviderOptions {
  readonly issuer: string
  readonly clientId: string
  /** Null for a client that has none. */
  readonly clientSecret: string | null
  /** Wanted claims: the scope of the same name is requested when the provider supports it. */
  readonly claims: readonly string[]
  /** Where the provider sends people back to. */
  readonly callback: string
}

/** The time for an answer of the provider, in seconds. */
const TIMEOUT_SECONDS = 10
/**
 * The limit of each answer of the provider, in bytes: descriptions, keys and claims have some thousands. A
 * longer one is cut off, so that it is no JSON.
 */
const MAX_ANSWER_BYTES = 1_048_576
/** The tolerated difference between the two clocks, in seconds. */
const CLOCK_TOLERANCE = 30

/** The cause of the library's error about a provider that names itself differently. */
const OtherIssuer = z.object({ body: z.object({ issuer: z.string() }) })
/** The cause of an error about the status of an answer. The HTTP server replaces the global Response, so its class says nothing. */
const FailedAnswer = z.object({ status: z.int() })
/** The library's codes for an answer that is no description of a provider. */
const NO_DESCRIPTION = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_INVALID_RESPONSE',
]

/**
 * The client of an OpenID Connect provider. It fetches the provider's metadata and keys at every
 * log-in: a provider that was away or has changed its keys needs no attention here.
 */
export class OidcProvider {
  readonly #options: OidcProviderOptions

  constructor(options: OidcProviderOptions) {
    this.#options = options
  }

  /** Where people log in, in the words of an address. */
  get host(): string {
    return new URL(this.#options.issuer).host
  }

  /**
   * The address of the provider for a new log-in.
   *
   * @throws {ServiceError} `unavailable`
   */
  async addressFor({ state, nonce, verifier }: Omit<LoginAttempt, 'next'>): Promise<string> {
    const config = await this.#discover()
    const { callback, claims } = this.#options
    const known = config.serverMetadata().scopes_supported ?? []
    const scopes = ['openid', 'profile', ...claims.filter((claim) => known.includes(claim))]
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return address.href
  }

  /**
   * Exchanges the query of the returning request for the claims about the user.
   *
   * @throws {ServiceError} `log-in-refused`, `unavailable`.
   */
  async claimsOf(search: string, attempt: LoginAttempt): Promise<Claims> {
    const config = await this.#discover()
    try {
      return await this.#exchange(config, search, attempt)
    } catch (error) {
      throw failureOf(error)
    }
  }

  async #exchange(
    config: client.Configuration,
    search: string,
    { state, nonce, verifier }: LoginAttempt,
  ): Promise<Claims> {
    const tokens = await client.authorizationCodeGrant(
      config,
      new URL(`${this.#options.callback}${search}`),
      {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      },
    )
    const claims: Claims = tokens.claims() ?? {}
    this.#assertOwn(claims)
    const sub = String(claims['sub'])
    const isMissing = this.#options.claims.some((name) => !Object.hasOwn(claims, name))
    if (!isMissing || config.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(config, tokens.access_token, sub)), ...claims }
  }

  /**
   * Asserts that a token was issued to this client; the library asks only where it is for several.
   *
   * @throws {ServiceError} `log-in-refused`
   */
  #assertOwn({ azp }: Claims): void {
    if (azp === undefined || azp === this.#options.clientId) return
    throw unfitAnswer('The id token was issued to another client (azp)')
  }

  /** @throws {ServiceError} `unavailable` */
  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options
    const isPlain = issuer.startsWith('http:')
    try {
      return await client.discovery(
        new URL(issuer),
        clientId,
        { [client.clockTolerance]: CLOCK_TOLERANCE },
        clientSecret === null ? client.None() : bySecret(clientSecret),
        {
          timeout: TIMEOUT_SECONDS,
          [client.customFetch]: fetchBeginning,
          execute: [
            client.enableNonRepudiationChecks,
            ...(isPlain ? [client.allowInsecureRequests] : []),
          ],
        },
      )
    } catch (error) {
      throw wrongIssuer(issuer, error) ?? away(error)
    }
  }
}

async function fetchBeginning(
  address: string,
  { body = null, ...options }: client.CustomFetchOptions,
): Promise<Response> {
  const answer = await fetch(address, { ...options, body })
  const { status, headers } = answer
  return new Response(answer.body && (await beginningOf(answer.body)), { status, headers })
}

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES)
}

/** In the header, as is usual, or in the body where the provider takes it only there. */
function bySecret(secret: string): client.ClientAuth {
  const [inHeader, inBody] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(server, ...rest)
  }
}

/** The library reports responses of the provider by errors of these kinds. */
function failureOf(error: unknown): unknown {
  if (isAway(error)) return away(error)
  if (error instanceof client.AuthorizationResponseError) {
    return refusedLogIn('The provider has refused the log-in', detailOf(error))
  }
  const isAnswer =
    error instanceof client.ClientError ||
    error instanceof client.ResponseBodyError ||
    error instanceof client.WWWAuthenticateChallengeError
  if (!isAnswer) return error
  return unfitAnswer(detailOf(error))
}

/** The error for an answer that does not belong to this log-in; the detail is for the log alone. */
export function unfitAnswer(detail: string): ServiceError {
  return refusedLogIn('The answer of the provider does not fit this log-in: begin again', detail)
}

/** The error when the configured address belongs to another issuer; null when that is unknown. */
function wrongIssuer(issuer: string, error: unknown): ServiceError | null {
  if (!(error instanceof client.ClientError) || isAway(error)) return null
  const { code = '', cause } = error
  const other = OtherIssuer.safeParse(cause)
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' && other.success) {
    const name = other.data.body.issuer.slice(0, 300)
    const message = `The OpenID Connect provider names itself ${name}, but --oidc-issuer is ${issuer}: both must be the same`
    return new WrongSettingError(message, error)
  }
  if (!NO_DESCRIPTION.includes(code)) return null
  const answer = FailedAnswer.safeParse(cause).data
  const status = answer === undefined ? '' : ` (status ${answer.status})`
  const message = `--oidc-issuer is ${issuer}, but the answer there is not that of an OpenID Connect provider${status}`
  return new WrongSettingError(message, error)
}

function away(error: unknown): ServiceError {
  const message = 'The OpenID Connect provider cannot be reached now: try again later'
  return unavailable(message, error)
}

/** Also where it cannot answer now: a status of 429, or of 500 or more. */
function isAway(error: unknown): boolean {
  if (error instanceof TypeError) return error.message === 'fetch failed'
  if (!(error instanceof client.ClientError)) return false
  const { code, cause } = error
  const answer = FailedAnswer.safeParse(cause).data
  if (answer === undefined) return code === 'OAUTH_TIMEOUT'
  return answer.status === 429 || answer.status >= 500
}

/** An error with its causes, for the log. */
export function detailOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const said = 'error' in Object(error) ? ` (${Object(error).error})` : ''
  const reason = `${reasonOf(error)}${said}`.slice(0, 300)
  return cause instanceof Error ? `${reason}: ${detailOf(cause)}` : reason
}
