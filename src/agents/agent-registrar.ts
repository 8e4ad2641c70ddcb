import type { ChangeOrigin } from '../core/change-origin.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { changeAgentAddress, type AgentAddress } from '../document/agents/agent-edits.ts'
import { registerAgents, type RegisteringAgent } from '../document/agents/register-agents.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { ConfigEditor } from '../configuration/save/config-editor.ts'
import type { ConfiguredAgent } from './configured-agent.ts'

interface Waiting<Item> {
  readonly item: Item
  readonly done: () => void
  readonly failed: (reason: unknown) => void
}

/**
 * The window after a commit in which further changes are collected, in milliseconds, so that a rush
 * makes few commits.
 */
const BATCH_WINDOW_MS = 200

/**
 * Writes the agents' own changes into the configuration: registrations with the key, and new
 * addresses. Changes that arrive during one commit, or soon after it, go into the next one
 * together, so that a thousand agents make few commits and no agent waits for more than one.
 */
export class AgentRegistrar {
  readonly #editor: ConfigEditor
  readonly #log: Log
  /** An agent that timed out and called again may be there twice. */
  #registering: Waiting<RegisteringAgent>[] = []
  readonly #moved = new Map<string, AgentAddress>()
  #isRunning = false

  constructor(options: { editor: ConfigEditor; log: Log }) {
    this.#editor = options.editor
    this.#log = options.log
  }

  /** Adds the agent as enabled; returns when that is committed. */
  enroll(agent: RegisteringAgent): Promise<void> {
    return new Promise((done, failed) => {
      this.#registering.push({ item: agent, done, failed })
      this.#run()
    })
  }

  /** Records the address of a configured agent when it differs from the configuration. */
  noteAddress(listed: ConfiguredAgent | null, address: AgentAddress): void {
    if (!listed || (listed.hostname === address.hostname && listed.ipAddress === address.ipaddress))
      return
    this.#moved.set(address.uuid, address)
    this.#run()
  }

  #run(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    inBackground(this.#log, 'The work of agents could not be recorded', this.#drain())
  }

  /**
   * The flag is reset in the same step that finds the queue empty, so that no new entry is
   * overlooked.
   */
  async #drain(): Promise<void> {
    while (this.#registering.length > 0 || this.#moved.size > 0) {
      if (this.#registering.length > 0) {
        await this.#commitRegistrations()
        await delay(BATCH_WINDOW_MS, null, { ref: false })
      }
      const [address] = this.#moved.values()
      if (address) await this.#commitAddress(address)
    }
    this.#isRunning = false
  }

  async #commitRegistrations(): Promise<void> {
    const batch = this.#registering
    this.#registering = []
    const agents = batch.map(({ item }) => item)
    const [first] = agents
    if (!first) return
    try {
      await this.#editor.edit(originOf(first), (document) => {
        const { text, ignored } = registerAgents(document, agents)
        for (const wish of ignored)
          this.#log({
            level: 'warning',
            message: 'An agent asked for something that does not exist',
            facts: { ...wish },
          })
        return text
      })
      for (const { done } of batch) done()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
  }

  async #commitAddress(address: AgentAddress): Promise<void> {
    this.#moved.delete(address.uuid)
    try {
      await this.#editor.edit(originOf(address), (document) =>
        changeAgentAddress(document, address),
      )
    } catch (error) {
      const facts = { uuid: address.uuid, error: String(error) }
      this.#log({ level: 'error', message: 'The address of an agent could not be recorded', facts })
    }
  }
}

/** A change that an agent made, by a user name of its own. */
function originOf({ uuid, ipaddress, hostname }: AgentAddress): ChangeOrigin {
  return { door: 'agent-registration', author: `agent_${uuid}_${ipaddress}_${hostname}` }
}
