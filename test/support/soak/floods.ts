import { setTimeout as wait } from 'node:timers/promises'
import { agentPaths } from '../../../src/wire/agent/paths.ts'
import { AGENT_FACTS } from '../agents/contact-body.ts'
import { gives, send, spellingsOf } from '../http/anonymous-calls.ts'
import { RawConnection } from '../http/raw-http.ts'
import type { SoakedInit, SoakedServer } from './soaked-server.ts'

/** How many of each kind come at once, and the pause between. */
const AT_ONCE = 16
const PAUSE_MS = 50
const CONNECTIONS = 64
const HOLD_MS = 200

interface FloodCall {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

let sent = 0

/**
 * Concurrent wrong log-ins, unknown agents, paths in every spelling, and silent connections: each
 * is refused or limited, and keeps nobody from work.
 */
export function floodUntilGone(server: SoakedServer): Promise<void>[] {
  const spellings = spellingsOf('/api/admin/config.xml')
  const flood = (one: () => Promise<void>) =>
    server.untilGone(async () => {
      await Promise.all(Array.from({ length: AT_ONCE }, one))
      await wait(PAUSE_MS)
    })
  return [
    flood(() => logIn(server)),
    flood(() => register(server)),
    flood(() => askIn(server, spellings)),
    server.untilGone(() => connect(server)),
  ]
}

async function logIn(server: SoakedServer): Promise<void> {
  const credentials = Buffer.from(`user${(sent += 1) % 500}:wrong ${sent}`).toString('base64')
  const headers = { authorization: `Basic ${credentials}` }
  await server.call('/api/agents', [401, 429], fromAnywhere({ headers }))
  server.ledger.count('wrong logins refused')
}

async function register(server: SoakedServer): Promise<void> {
  const uuid = `invented-${(sent += 1)}`
  const body = JSON.stringify({
    ...AGENT_FACTS,
    uuid,
    claim: uuid.padEnd(40, '-'),
    auto_register: null,
  })
  const headers = { 'content-type': 'application/json' }
  const call = fromAnywhere({ method: 'POST', headers, body })
  await server.call(agentPaths.register(), [200, 429], call)
  server.ledger.count('invented agents')
}

async function askIn(
  server: SoakedServer,
  spellings: ReturnType<typeof spellingsOf>,
): Promise<void> {
  const request = spellings[(sent += 1) % spellings.length]
  if (request === undefined) return
  const answer = await send(server.url, request)
  if (gives(answer)) server.ledger.complain(`${request.target} gives ${answer.slice(0, 300)}`)
  server.ledger.count('spellings refused')
}

/** Half of the connections begin a request; none goes on. */
async function connect(server: SoakedServer): Promise<void> {
  const connections = Array.from({ length: CONNECTIONS }, () => new RawConnection(server.url))
  for (const [n, connection] of connections.entries()) if (n % 2 === 0) connection.say('GET / HT')
  await wait(HOLD_MS)
  for (const { socket } of connections) socket.destroy()
  await Promise.all(connections.map((connection) => connection.heard()))
  server.ledger.count('idle connections')
}

/** Another address each time, as a proxy tells it: what one address may do is not the question. */
function fromAnywhere({ headers, ...init }: FloodCall): SoakedInit {
  const address = `10.${sent % 200}.${sent % 7}.${sent % 251}`
  return { ...init, as: null, headers: { ...headers, 'x-forwarded-for': address } }
}
