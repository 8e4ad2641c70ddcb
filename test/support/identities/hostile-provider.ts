import { createServer, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { onTestFinished } from 'vitest'
import { CLIENT_ID, listen } from './people-provider.ts'

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

/** How one id token differs from a good one. */
export interface Twist {
  readonly claims?: (now: number) => JWTPayload
  /** Signed with a key that is not published, or not at all. */
  readonly signature?: 'other-key' | 'none'
  /** Whether the provider gives no id token. */
  readonly isMissing?: boolean
}

/** A provider that says what a test wants; it answers any code with the next id token. */
export class HostileProvider {
  twist: Twist = {}
  /** The nonce of the log-in that is under way. */
  nonce = ''
  readonly #issuer: string
  readonly #key: Key
  readonly #published: object

  private constructor(issuer: string, key: Key, published: object) {
    this.#issuer = issuer
    this.#key = key
    this.#published = published
  }

  /** Starts one whose name ends with a path. */
  static async start(path = ''): Promise<HostileProvider> {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const published = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
    const server = createServer((request, response) => {
      void provider.#answer(request.url ?? '', response)
    })
    const issuer = `http://127.0.0.1:${await listen(server)}${path}`
    const provider = new HostileProvider(issuer, privateKey, published)
    onTestFinished(() => void server.close())
    return provider
  }

  get issuer(): string {
    return this.#issuer
  }

  async #answer(path: string, response: ServerResponse): Promise<void> {
    const body = await this.#bodyOf(path)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  async #bodyOf(path: string): Promise<unknown> {
    if (path.endsWith('/keys')) return { keys: [this.#published] }
    if (!path.endsWith('/token')) return this.#metadata()
    const tokens = { access_token: 'an-access-token', token_type: 'bearer' }
    return this.twist.isMissing ? tokens : { ...tokens, id_token: await this.#idToken() }
  }

  #metadata() {
    return {
      issuer: this.#issuer,
      authorization_endpoint: `${this.#issuer}/authorize`,
      token_endpoint: `${this.#issuer}/token`,
      jwks_uri: `${this.#issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'none'],
    }
  }

  async #idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1_000)
    const good = {
      iss: this.#issuer,
      aud: CLIENT_ID,
      sub: 'a-person',
      nonce: this.nonce,
      iat: now,
      exp: now + 300,
      preferred_username: 'ana',
    }
    const claims = { ...good, ...this.twist.claims?.(now) }
    if (this.twist.signature === 'none') return new UnsecuredJWT(claims).encode()
    const other = this.twist.signature === 'other-key' ? await generateKeyPair('RS256') : null
    const header = { alg: 'RS256', kid: 'one' }
    return new SignJWT(claims).setProtectedHeader(header).sign(other?.privateKey ?? this.#key)
  }
}
