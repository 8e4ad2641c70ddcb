import type { Context } from 'hono'
import type { z } from 'zod'
import {
  assertToken,
  contactAgent,
  type ContactAnswer,
  registerAgent,
} from '../../agents/contact.ts'
import { ContactReply, ContactRequest, contactIntervalFor } from '../../wire/agent/contact.ts'
import { parseAgentMessage, renderAgentMessage } from '../../wire/agent/message.ts'
import { AGENT_PATTERNS } from '../../wire/agent/paths.ts'
import { RegisterReply, RegisterRequest } from '../../wire/agent/registration.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { readBody } from '../../http/request-body.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { type Answer, JSON_TYPE } from '../definition/operation.ts'
import { tokenOf } from './agent-token.ts'
import { QUIET } from '../definition/route-rules.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

export const AGENT_TAG = 'Agent protocol'

const MAX_MESSAGE_BYTES = 65_536

/** The facts that an agent reports about itself. */
const DESCRIPTION = {
  instance: 'c0ffee12',
  hostname: 'builder-1',
  ipAddress: '192.0.2.7',
  sandbox: '/var/lib/cairn-agent',
  operatingSystem: 'Linux 6.1.0',
  freeSpace: 13_207_024_435,
  version: '0.1.0',
}

const route = routeWith<LeaderContext['agents']>(AGENT_TAG)

/** The calls of the agents about themselves. They carry the agent's token, not a user. */
export const agentProtocolResource = leaderResource({
  open: ({ agents }: LeaderContext) => agents,
  routes: [
    route({
      method: 'POST',
      path: AGENT_PATTERNS.register,
      summary: 'Registers an agent',
      caller: 'newAgent',
      audit: 'register-agent',
      body: agentMessage(RegisterRequest),
      answers: { 200: agentReply('Its token', RegisterReply) },
      errors: [
        'malformed-request',
        'body-too-large',
        'agent-taken',
        'key-refused',
        'too-many-requests',
      ],
      example: {
        body: {
          ...DESCRIPTION,
          uuid: SAMPLE.agent,
          claim: 'a secret that this agent made up, with 32 characters or more',
          autoRegister: null,
        } satisfies RegisterRequest,
        answer: {
          token: 'the token for all other calls of this agent',
          configStatus: 'Pending',
        } satisfies RegisterReply,
      },
      handle: async (c, deps) => {
        const message = parseAgentMessage(RegisterRequest, await textOf(c))
        const { uuid, instance, claim, autoRegister, ...facts } = message
        const { address } = c.env
        const agent = `/api/agents/${encodeURIComponent(uuid)}`
        c.env.auditTarget = agent
        const call = { uuid, address, instance, claim, autoRegister, facts }
        const { token, configStatus, isNews, invitation } = await registerAgent(deps, call)
        c.env.isNews = isNews
        if (invitation !== null) {
          const target = `/api/agent-invitations/${invitation}`
          c.env.auditActions = [{ action: 'register-agent', target, targets: [agent, target] }]
        }
        return answer({ token, configStatus, ...intervalOf(deps) } satisfies RegisterReply)
      },
    }),
    route({
      method: 'POST',
      path: AGENT_PATTERNS.contact,
      summary: 'Receives the state of an agent, and returns its instructions',
      caller: 'agent',
      audit: QUIET,
      body: agentMessage(ContactRequest),
      answers: { 200: agentReply('An instruction', ContactReply) },
      errors: ['malformed-request', 'body-too-large', 'agent-taken'],
      example: {
        body: {
          ...DESCRIPTION,
          runtimeStatus: 'Idle',
          jobId: null,
          stopping: false,
        } satisfies ContactRequest,
        answer: { instruction: { kind: 'none' }, configStatus: 'Enabled' } satisfies ContactReply,
      },
      handle: async (c, deps) => {
        const uuid = c.req.param('uuid')
        const token = tokenOf(c)
        const agent = deps.directory.find(uuid)
        if (agent?.record) assertToken(agent, { uuid, token })
        const message = parseAgentMessage(ContactRequest, await textOf(c))
        const { instance, runtimeStatus, jobId, stopping, ...facts } = message
        const { address } = c.env
        const call = { uuid, token, address, instance, runtimeStatus, jobId, stopping, facts }
        return answer({ ...replyOf(await contactAgent(deps, call)), ...intervalOf(deps) })
      },
    }),
  ],
})

/** A message of the protocol, as the description shows it. */
export function agentMessage(schema: z.ZodType) {
  const content = [{ type: JSON_TYPE, schema, keys: 'snake_case' as const }]
  return { required: true, content }
}

export function agentReply(text: string, schema: z.ZodType): Answer {
  return { text, content: agentMessage(schema).content }
}

export function answer(message: object): Response {
  return new Response(renderAgentMessage(message), {
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })
}

export async function textOf(c: Context<RouteEnv>): Promise<string> {
  const { buffer, byteOffset, length } = await readBody(c.req.raw, MAX_MESSAGE_BYTES)
  return Buffer.from(buffer, byteOffset, length).toString('utf8')
}

function intervalOf({ directory }: LeaderContext['agents']) {
  return { contactIntervalMs: contactIntervalFor(directory.timeout) }
}

function replyOf(contact: ContactAnswer): ContactReply {
  if (contact.kind === 'register') return { instruction: { kind: 'register' }, configStatus: null }
  if (contact.kind === 'none')
    return { instruction: { kind: 'none' }, configStatus: contact.configStatus }
  return {
    instruction: { kind: 'cancel_job', jobId: contact.jobId },
    configStatus: contact.configStatus,
  }
}
