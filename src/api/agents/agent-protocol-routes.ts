import { Hono, type Context } from 'hono'
import {
  type AgentCallsDeps,
  assertToken,
  contactAgent,
  type ContactAnswer,
  registerAgent,
} from '../../agents/contact.ts'
import { ContactRequest, type ContactReply } from '../../wire/agent-contact.ts'
import { parseAgentMessage, renderAgentMessage } from '../../wire/agent-message.ts'
import { AGENT_PATTERNS } from '../../wire/agent-paths.ts'
import { RegisterRequest, type RegisterReply } from '../../wire/agent-registration.ts'
import { INERT } from '../../http/inert.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { readBody } from '../../http/request-body.ts'

/** The largest message of the protocol, in bytes. */
const MESSAGE_AT_MOST = 65_536

const HEADERS = { ...INERT, 'content-type': 'application/json; charset=utf-8' }

/** The calls of the agents about themselves. They carry the agent's token, not a user. */
export function agentProtocolRoutes(deps: AgentCallsDeps) {
  return new Hono<RouteEnv>()
    .post(AGENT_PATTERNS.register, async (c) => {
      const message = parseAgentMessage(RegisterRequest, await textOf(c))
      const { uuid, instance, claim, autoRegister, ...facts } = message
      const { address } = c.env
      const call = { uuid, address, instance, claim, autoRegister, facts }
      const { token, configStatus, isNews } = await registerAgent(deps, call)
      c.env.isNews = isNews
      return answer({ token, configStatus } satisfies RegisterReply)
    })
    .post(AGENT_PATTERNS.contact, async (c) => {
      const uuid = c.req.param('uuid')
      const token = tokenOf(c)
      const agent = deps.directory.find(uuid)
      if (agent?.record) assertToken(agent, { uuid, token })
      const message = parseAgentMessage(ContactRequest, await textOf(c))
      const { instance, runtimeStatus, jobId, stopping, ...facts } = message
      const call = {
        uuid,
        token,
        address: c.env.address,
        instance,
        runtimeStatus,
        jobId,
        stopping,
        facts,
      }
      return namedAnswer(c, replyOf(await contactAgent(deps, call)))
    })
}

/** The token of an agent's call; empty when there is none. */
export function tokenOf(c: Context<RouteEnv>): string {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  return token
}

export function answer(message: object): Response {
  return new Response(renderAgentMessage(message), {
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })
}

/** The same with the id of the request, for the call that there are by far the most of. */
function namedAnswer({ env }: Context<RouteEnv>, message: object): Response {
  return new Response(renderAgentMessage(message), {
    headers: env.complete(HEADERS),
  })
}

export async function textOf(c: Context<RouteEnv>): Promise<string> {
  const { buffer, byteOffset, length } = await readBody(c.req.raw, MESSAGE_AT_MOST)
  return Buffer.from(buffer, byteOffset, length).toString('utf8')
}

function replyOf(told: ContactAnswer): ContactReply {
  if (told.kind === 'register') return { instruction: { kind: 'register' }, configStatus: null }
  if (told.kind === 'none')
    return { instruction: { kind: 'none' }, configStatus: told.configStatus }
  return { instruction: { kind: 'cancel_job', jobId: told.jobId }, configStatus: told.configStatus }
}
