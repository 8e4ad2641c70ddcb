import type { ConfigStatus } from '../core/builds/agent.ts'
import type { Log } from '../lib/log.ts'
import type { ContactReply, ReportedStatus } from '../wire/agent/contact.ts'
import type { AutoRegistration } from '../wire/agent/registration.ts'
import type { Identity } from './host/identity.ts'
import type { Machine } from './host/machine.ts'
import type { AgentClient } from './server/agent-client.ts'
import { isRefusal, ServerAbsent, ServerRefusal } from './server/server-errors.ts'

/** The facts and events of the work that the contact exchanges with it. */
export interface ContactWork {
  readonly jobId: number | null
  readonly runtimeStatus: ReportedStatus
  /** Called with the status from the server; null before its first answer. */
  onStatus(status: ConfigStatus | null): void
  /** Called when the server wants this job to end. */
  onCancel(jobId: number): void
  /** Called when the server does not recognise this agent: its job is no longer its own. */
  onLost(message: string): void
}

export interface ContactOptions {
  readonly client: AgentClient
  readonly identity: Identity
  readonly machine: Machine
  readonly work: ContactWork
  readonly autoRegister: AutoRegistration | null
  readonly log: Log
}

/** Keeps the server informed: registers if necessary, and makes one contact at a time. */
export class Contact {
  readonly #options: ContactOptions
  #lastSaid = ''
  #intervalMs: number | null = null

  constructor(options: ContactOptions) {
    this.#options = options
  }

  /** The time until the next contact that the server asks for; null where it asks for none. */
  get intervalMs(): number | null {
    return this.#intervalMs
  }

  /** Registers or makes contact. Returns whether the server accepted it. */
  async make(signal: AbortSignal): Promise<boolean> {
    try {
      if (this.#options.identity.token === null) await this.#register(signal)
      else await this.#contact(signal)
      return true
    } catch (error) {
      if (error instanceof ServerRefusal) await this.#refused(error)
      else if (signal.aborted) return false
      else if (error instanceof ServerAbsent) this.#log('warning', error.message)
      else if (isSystemError(error)) this.#log('error', error.message)
      else throw error
      this.#options.work.onStatus(null)
      return false
    }
  }

  /** Announces the end of this process to the server. */
  async unregister(signal: AbortSignal): Promise<void> {
    if (this.#options.identity.token === null) return
    try {
      await this.#send({ stopping: true, signal })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      this.#log('warning', `Could not tell the server that the agent stops: ${error.message}`)
    }
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { client, identity, machine, work, autoRegister } = this.#options
    const { uuid, claim } = identity
    const request = { ...(await machine.describe()), uuid, claim, autoRegister }
    const { token, configStatus, contactIntervalMs } = await client.register(request, signal)
    this.#intervalMs = contactIntervalMs ?? null
    await identity.keepToken(token)
    this.#log('info', `Registered; the server lists this agent as ${configStatus}`)
    work.onStatus(configStatus)
  }

  async #contact(signal: AbortSignal): Promise<void> {
    const { identity, work } = this.#options
    const reply = await this.#send({ stopping: false, signal })
    const { instruction, configStatus } = reply
    this.#intervalMs = reply.contactIntervalMs ?? null
    if (instruction.kind === 'cancel_job') work.onCancel(instruction.jobId)
    if (instruction.kind === 'register') {
      await identity.keepToken(null)
      work.onLost('The server does not know this agent any more')
      return this.#register(signal)
    }
    this.#log('info', `The server lists this agent as ${configStatus ?? 'unknown'}`)
    return work.onStatus(configStatus)
  }

  async #send({
    stopping,
    signal,
  }: {
    stopping: boolean
    signal: AbortSignal
  }): Promise<ContactReply> {
    const { client, machine, work } = this.#options
    const { jobId, runtimeStatus } = work
    return client.contact({ ...(await machine.describe()), jobId, runtimeStatus, stopping }, signal)
  }

  async #refused(error: ServerRefusal): Promise<void> {
    if (isRefusal(error, 401)) await this.#options.identity.keepToken(null)
    if (!isRefusal(error, 409)) return this.#log('error', `The server refuses: ${error.message}`)
    const { uuid } = this.#options.identity
    this.#options.work.onLost('Another machine uses the uuid of this agent')
    return this.#log(
      'error',
      `Another machine uses the uuid ${uuid} of this agent: ${error.message}. ` +
        'This agent takes no work; remove its work folder if it was copied',
    )
  }

  /** Logs a message unless it is the same as the last one. */
  #log(level: 'info' | 'warning' | 'error', message: string): void {
    if (message === this.#lastSaid) return
    this.#lastSaid = message
    this.#options.log({ level, message })
  }
}

/** Such as a full disk when the token is written: the agent continues with its state in memory. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}
