import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import { tempDir } from '../disk/temp-folder.ts'

export const CLIENT_ID = 'cairn'
const CLIENT_SECRET = 'the secret of cairn'
/** Where people reach the service. */
export const PUBLIC_URL = 'https://cairn.example'

const CONFIGURATION = {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [`${PUBLIC_URL}/login/oidc/callback`],
    },
  ],
  claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
  cookies: { keys: ['a key of cookies'] },
  // What it says on the console while these are not given is nothing of ours.
  ttl: {
    AccessToken: 600,
    AuthorizationCode: 60,
    Grant: 600,
    IdToken: 600,
    Interaction: 600,
    Session: 600,
  },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
}

/** A real provider on loopback that logs one person in without asking anything. */
export class PeopleProvider {
  /** The claims of the provider about the person who logs in. */
  person: Readonly<Record<string, unknown>> = {}
  /** The account that logs in. */
  account = 'a-person'
  readonly issuer: string
  #answer: RequestListener = (_request, response) => response.writeHead(503).end()

  private constructor(port: number) {
    this.issuer = `http://127.0.0.1:${port}`
  }

  static async start(): Promise<PeopleProvider> {
    const server = createServer((...call) => provider.#answer(...call))
    const provider = new PeopleProvider(await listen(server))
    onTestFinished(() => void server.close())
    await provider.renewKeys()
    return provider
  }

  /** Makes the provider answer, and sign with new keys, as after a rotation. */
  async renewKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const key = { ...(await exportJWK(privateKey)), kid: `key-${Date.now()}`, use: 'sig' }
    const provider = new Provider(this.issuer, {
      ...CONFIGURATION,
      jwks: { keys: [key] },
      findAccount: () => this.#account(),
    })
    const routes = provider.callback()
    this.#answer = (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return routes(request, response)
      void interact(provider, this.account, request, response)
    }
  }

  /** Answers every request as a provider that is down does. */
  goAway(): void {
    this.#answer = (_request, response) => response.writeHead(503).end()
  }

  #account() {
    const { account, person } = this
    return { accountId: account, claims: () => ({ sub: account, ...person }) }
  }
}

/** The flags of a service whose people log in by a provider. */
export function flagsFor(issuer: string): string[] {
  const secret = join(tempDir(), 'secret')
  writeFileSync(secret, `${CLIENT_SECRET}\n`)
  const client = ['--oidc-client-id', CLIENT_ID, '--oidc-client-secret-file', secret]
  const people = ['--public-url', PUBLIC_URL, '--oidc-roles-claim', 'groups']
  return ['--oidc-issuer', issuer, ...client, ...people]
}

/** Says yes to whatever the provider asks. */
async function interact(
  provider: Provider,
  accountId: string,
  ...call: Parameters<RequestListener>
): Promise<void> {
  const { prompt } = await provider.interactionDetails(...call)
  if (prompt.name === 'login') {
    return provider.interactionFinished(...call, { login: { accountId } })
  }
  const grant = new provider.Grant({ accountId, clientId: CLIENT_ID })
  grant.addOIDCScope('openid profile groups')
  await provider.interactionFinished(...call, { consent: { grantId: await grant.save() } })
}

/** Listens on a free port, and returns it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
