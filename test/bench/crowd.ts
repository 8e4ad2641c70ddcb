import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentPaths } from '../../src/wire/agent/paths.ts'
import { git } from '../support/git/git.ts'
import { MeasuredServer, type Sent } from './servers.ts'

/** The key that agents of a measured server present. */
export const KEY = 'let-me-in'

/** More connections at once than a busy machine accepts would be reset. */
const GATHERED_AT_ONCE = 64

interface Member {
  readonly uuid: string
  token: string
}

/** A server and the agents that its configuration lists, each with its token. */
export class Crowd implements AsyncDisposable {
  readonly server: MeasuredServer
  readonly #members: readonly Member[]
  #next = 0

  constructor(server: MeasuredServer, members: readonly Member[]) {
    this.server = server
    this.#members = members
  }

  static async gather(folder: string, count: number): Promise<Crowd> {
    const repository = join(folder, `repository-${count}`)
    const state = join(folder, `state-${count}-${performance.now()}`)
    makeAgentsRepository(repository, count)
    const flags = ['--auto-register-key', KEY]
    const server = await MeasuredServer.cairn({ repository, state }, flags)
    const crowd = new Crowd(server, membersOf(count))
    await crowd.register(KEY, GATHERED_AT_ONCE)
    return crowd
  }

  /** Registers all members, with the key that makes approval unnecessary or without. */
  async register(key: string | null, atOnce = this.size): Promise<void> {
    const register = async (member: Member) => {
      const request = registrationOf(member, key)
      const answer = await this.server.send(request.path, request)
      const reply: { token: string } = JSON.parse(String(answer))
      member.token = reply.token
    }
    await this.server.costOfEach(this.#members, register, atOnce)
  }

  get size(): number {
    return this.#members.length
  }

  uuids(): string[] {
    return this.#members.map(({ uuid }) => uuid)
  }

  /** Calls of this number of agents, in turn. */
  async contact(count: number): Promise<void> {
    await this.server.costOfEach(this.contacts(count), (call) => this.server.send(call.path, call))
  }

  /** The calls of this number of agents, starting after the last one that called. */
  contacts(count: number): AgentCall[] {
    const begin = this.#next
    this.#next += count
    return Array.from({ length: count }, (_, n) => {
      const member = this.#members[(begin + n) % this.size] ?? { uuid: '', token: '' }
      const said = { runtime_status: 'Idle', job_id: null, stopping: false }
      return callOf(member, agentPaths.contact(member.uuid), { ...factsOf(member.uuid), ...said })
    })
  }

  /** The request for work of each agent. */
  asksForWork(): AgentCall[] {
    return this.#members.map((member) => {
      const { instance } = factsOf(member.uuid)
      return callOf(member, agentPaths.work(member.uuid), { instance })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]()
  }
}

/** A request of an agent, ready to be sent. */
export interface AgentCall extends Sent {
  readonly path: string
}

/** The first call of an agent. */
export function registrationOf(member: Member, key: string | null): AgentCall {
  const { uuid } = member
  const wish = key === null ? null : { key, resources: ['linux'], environments: [] }
  const said = { ...factsOf(uuid), uuid, claim: uuid.repeat(8), auto_register: wish }
  return callOf({ uuid, token: '' }, agentPaths.register(), said)
}

function callOf({ token }: Member, path: string, message: object): AgentCall {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return { path, method: 'POST', headers, body: JSON.stringify(message) }
}

export function membersOf(count: number): Member[] {
  return Array.from({ length: count }, (_, n) => ({ uuid: uuidOf(n), token: '' }))
}

function uuidOf(n: number): string {
  return `agent-${String(n).padStart(6, '0')}`
}

function factsOf(uuid: string) {
  return {
    instance: `run-of-${uuid}`,
    hostname: `${uuid}.example.org`,
    ip_address: '10.0.4.11',
    sandbox: '/var/lib/cairn-agent',
    operating_system: 'Linux 6.1.0',
    free_space: Math.floor(Math.random() * 1e12),
    version: '1.0.0',
  }
}

export function makeAgentsRepository(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true })
  const agents = Array.from({ length: count }, (_, n) => {
    const uuid = uuidOf(n)
    return `    <agent hostname="${uuid}.example.org" ipaddress="10.0.4.11" uuid="${uuid}" />`
  })
  const lines = [
    '<cruise schemaVersion="75">',
    '  <server>',
    '  </server>',
    '  <agents>',
    ...agents,
    '  </agents>',
    '</cruise>',
  ]
  writeFileSync(join(folder, 'config.xml'), `${lines.join('\n')}\n`)
  git(folder, 'init', '-q', '-b', 'main')
  git(folder, 'add', '.')
  git(folder, 'commit', '-q', '-m', 'Many agents')
}
