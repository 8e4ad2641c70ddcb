import { randomUUID } from 'node:crypto'
import {
  type ContactReply,
  ContactReply as ContactReplySchema,
} from '../../../src/wire/agent/contact.ts'
import {
  type RegisterReply,
  type RegisterRequest,
  RegisterReply as RegisterReplySchema,
} from '../../../src/wire/agent/registration.ts'
import { agentPaths } from '../../../src/wire/agent/paths.ts'
import { parseAgentMessage, renderAgentMessage } from '../../../src/wire/agent/message.ts'
import type { CalledService } from '../service/service.ts'

/** An agent that makes the protocol's calls when a test says so. */
export class CallingAgent {
  readonly uuid: string
  readonly claim = randomUUID() + randomUUID()
  instance = randomUUID()
  token = ''
  facts = {
    hostname: 'build-01.example.org',
    ipAddress: '10.0.4.11',
    sandbox: '/var/lib/agent',
    operatingSystem: 'Linux 6.1.0',
    freeSpace: 13_207_024_435,
    version: '0.1.0',
  }
  readonly #service: Pick<CalledService, 'fetch'>

  constructor(service: Pick<CalledService, 'fetch'>, uuid: string = randomUUID()) {
    this.#service = service
    this.uuid = uuid
  }

  /** Registers and keeps the token. */
  async register(autoRegister: RegisterRequest['autoRegister'] = null): Promise<RegisterReply> {
    const response = await this.tryRegister(autoRegister)
    const reply = parseAgentMessage(RegisterReplySchema, await response.text())
    this.token = reply.token
    return reply
  }

  tryRegister(autoRegister: RegisterRequest['autoRegister'] = null): Promise<Response> {
    const { uuid, claim, instance, facts } = this
    return this.#post(agentPaths.register(), { uuid, claim, instance, autoRegister, ...facts })
  }

  async contact(runtimeStatus: 'Idle' | 'Building' = 'Idle'): Promise<ContactReply> {
    const response = await this.tryContact(runtimeStatus)
    return parseAgentMessage(ContactReplySchema, await response.text())
  }

  tryContact(runtimeStatus: 'Idle' | 'Building' = 'Idle', stopping = false): Promise<Response> {
    const { instance, facts } = this
    const message = { instance, runtimeStatus, jobId: null, stopping, ...facts }
    return this.#post(agentPaths.contact(this.uuid), message)
  }

  /** Asks for work; an agent that may is kept waiting for it. */
  tryWork(): Promise<Response> {
    return this.#post(agentPaths.work(this.uuid), { instance: this.instance })
  }

  #post(path: string, message: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}` }
    const init = { method: 'POST', as: null, headers, body: renderAgentMessage(message) }
    return this.#service.fetch(path, init)
  }
}
