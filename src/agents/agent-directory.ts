import { type AgentEvent, nextAgent } from '../core/builds/agent-life-cycle.ts'
import type { Clock } from '../lib/clock.ts'
import { appendEvent } from '../core/service/service-event.ts'
import { Emitter } from '../lib/emitter.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { StateStore } from '../state/state-store.ts'
import { type AgentRecord, AGENTS } from './agent-record.ts'
import type { ConfiguredAgent } from './configured-agent.ts'
import {
  afterEvent,
  decisionOn,
  type LastContact,
  isApproved,
  isUnknownMachine,
  type KnownAgent,
  factsOf,
} from './known-agent.ts'

/** The interval of writing a contact time, in milliseconds; in between it is only in memory. */
const WRITE_INTERVAL_MS = 60_000
/** Contact times are written in batches of up to this number. */
const MAX_BATCH_SIZE = 200
/** The longest time until a batch is written, in milliseconds. */
const MAX_WRITE_DELAY_MS = 5_000

export interface DirectoryOptions {
  readonly store: StateStore
  readonly clock: Clock
  /** The time for which the service has run, which nobody sets: silence is measured by it. */
  readonly uptime: Clock
  readonly log: Log
  /** Silence after which an agent counts as lost, in milliseconds. */
  readonly timeout: number
}

/**
 * Every agent that is configured or has registered, held in memory. Records are durable before they
 * are visible; statuses are not stored, because only the agents know them.
 */
export class AgentDirectory {
  readonly #options: DirectoryOptions
  readonly #agents = new Map<string, KnownAgent>()
  /** The uuids of agents that need no approval, while their first commit is made: they are not Pending. */
  readonly #arriving = new Set<string>()
  readonly #losses = new Emitter()
  /** The sorted uuids, or null when a name has changed since. */
  #order: readonly string[] | null = null
  /** The agents whose contact time is yet to be written, and the time since when. */
  readonly #due = new Set<string>()
  #dueSince = 0
  #isConfigured = false

  private constructor(options: DirectoryOptions) {
    this.#options = options
  }

  static async open(options: DirectoryOptions): Promise<AgentDirectory> {
    const directory = new AgentDirectory(options)
    const condition = { configStatus: 'Pending', runtimeStatus: 'Unknown' } as const
    for (const { value: record } of await options.store.list(AGENTS)) {
      directory.#agents.set(record.uuid, {
        uuid: record.uuid,
        condition,
        record,
        configured: null,
        heard: null,
      })
    }
    return directory
  }

  /** Silence after which an agent counts as lost, in milliseconds. */
  get timeout(): number {
    return this.#options.timeout
  }

  find(uuid: string): KnownAgent | null {
    return this.#agents.get(uuid) ?? null
  }

  list(): readonly KnownAgent[] {
    return [...this.#agents.values()].filter(({ uuid }) => !this.#arriving.has(uuid))
  }

  /** Every agent by name, working folder and uuid. */
  sorted(): readonly KnownAgent[] {
    this.#order ??= sortedUuids(this.#agents.values())
    return this.#order.flatMap((uuid) => (this.#arriving.has(uuid) ? [] : (this.find(uuid) ?? [])))
  }

  /** Keeps a new agent out of the lists until it is enrolled, or cannot be. */
  async whileArriving(uuid: string, enroll: () => Promise<void>): Promise<void> {
    this.#arriving.add(uuid)
    try {
      await enroll()
    } finally {
      this.#arriving.delete(uuid)
    }
  }

  /** Applies the agents of the present configuration. */
  configure(configured: ReadonlyMap<string, ConfiguredAgent>): void {
    for (const agent of this.#agents.values()) {
      if (agent.configured && !configured.has(agent.uuid)) this.#lose(agent)
    }
    if (!this.#isConfigured) this.#approveEarlier(configured)
    this.#isConfigured = true
    for (const [uuid, place] of configured) this.#place(uuid, place)
  }

  /** Stores the record of a registered agent; durable when it returns. */
  async register(record: AgentRecord, heard: LastContact): Promise<void> {
    await this.#options.store.change((transaction) => transaction.put(AGENTS, record.uuid, record))
    const agent = this.#agents.get(record.uuid)
    const configured = agent?.configured ?? null
    const condition = nextAgent(agent?.condition ?? null, decisionOn({ record, configured }))
    if (!condition) return
    const { uuid } = record
    this.#keep({ uuid, condition, record, configured, heard: this.#heard(heard) })
  }

  /**
   * Records the approval of the machine with this record; durable when it returns. Returns whether
   * anything changed, which is false when another machine has taken its place meanwhile.
   */
  async approve({ uuid, claimHash }: AgentRecord): Promise<boolean> {
    const isWaiting = (agent: KnownAgent | null): agent is KnownAgent & { record: AgentRecord } =>
      agent?.record?.claimHash === claimHash && !isApproved(agent)
    const known = this.find(uuid)
    if (!isWaiting(known)) return false
    const approved = { ...known.record, approved: true }
    await this.#options.store.change((transaction) => transaction.put(AGENTS, uuid, approved))
    const now = this.find(uuid)
    if (!isWaiting(now)) return false
    const agent = { ...now, record: { ...now.record, approved: true } }
    this.#keep(agent)
    this.#apply(agent, decisionOn(agent))
    return true
  }

  /** Records the report of an agent in a contact. The contact time is written periodically. */
  async recordContact(contact: {
    record: AgentRecord
    heard: LastContact
    event: AgentEvent
  }): Promise<void> {
    const agent = this.#agents.get(contact.record.uuid)
    if (!agent) return
    const before = agent.record
    const isDue = !before || contact.heard.at - before.lastContact >= WRITE_INTERVAL_MS
    const record = isDue ? { ...contact.record, lastContact: contact.heard.at } : contact.record
    this.#apply({ ...agent, record, heard: this.#heard(contact.heard) }, contact.event)
    if (isDue) await this.#writeSoon(record.uuid, contact.heard.at)
  }

  apply(uuid: string, event: AgentEvent): void {
    const agent = this.#agents.get(uuid)
    if (agent) this.#apply(agent, event)
  }

  /** Removes the record of an agent, which then has to register again. */
  async forget(uuid: string): Promise<void> {
    await this.#options.store.change((transaction) => transaction.remove(AGENTS, uuid))
    const configured = this.find(uuid)?.configured ?? null
    this.#drop(uuid)
    if (configured) this.#place(uuid, configured)
  }

  /**
   * Finds the agents that have been silent for too long, and returns the newly lost ones. The event of a
   * loss is durable before it is visible.
   */
  async findLost(): Promise<readonly string[]> {
    const isSilent = (agent: KnownAgent) => this.silenceOf(agent) >= this.#options.timeout
    const silent = this.list().filter(isSilent)
    const lost = silent.filter((agent) => {
      const isNoted = ['LostContact', 'Missing'].includes(agent.condition.runtimeStatus)
      return isStranger(agent) || !isNoted
    })
    await this.#recordLoss(lost.filter((agent) => !isStranger(agent)))
    for (const { uuid } of lost) {
      const agent = this.find(uuid)
      if (agent === null || !isSilent(agent)) continue
      if (isStranger(agent)) await this.forget(uuid)
      else this.apply(uuid, 'silence')
    }
    return lost.map(({ uuid }) => uuid)
  }

  /** The time since the last contact, in milliseconds: by the clock only where that was before this process began. */
  silenceOf({ heard, record }: KnownAgent): number {
    const { clock, uptime } = this.#options
    return heard === null ? clock() - (record?.lastContact ?? 0) : uptime() - heard.uptime
  }

  #heard(contact: LastContact) {
    return { ...contact, uptime: this.#options.uptime() }
  }

  async #recordLoss(lost: readonly KnownAgent[]): Promise<void> {
    const heard = lost.filter(({ heard: contact }) => contact?.stopping === false)
    if (heard.length === 0) return
    await this.#options.store.change(async (transaction) => {
      for (const agent of heard) {
        const { hostname } = factsOf(agent)
        const time = this.#options.clock()
        const lastContact = agent.heard?.at ?? time
        const event = { type: 'agent.lost', time, uuid: agent.uuid, hostname, lastContact } as const
        await appendEvent(transaction, event)
      }
    })
    this.#losses.emit()
  }

  /** Calls the listener when agents were lost; returns a function that unsubscribes it. */
  onLost(listener: () => void): () => void {
    return this.#losses.on(listener)
  }

  /**
   * Agents that were configured at the first start of a version with approvals count as approved.
   */
  #approveEarlier(configured: ReadonlyMap<string, ConfiguredAgent>): void {
    for (const agent of this.#agents.values()) {
      const { uuid, record } = agent
      if (!record || record.approved !== undefined) continue
      this.#agents.set(uuid, { ...agent, record: { ...record, approved: configured.has(uuid) } })
    }
  }

  /** An agent without a contact since the start is Missing, whatever its earlier status. */
  #place(uuid: string, configured: ConfiguredAgent): void {
    const agent = this.#agents.get(uuid)
    const event = decisionOn({ record: agent?.record ?? null, configured })
    const isUnheard = !agent || (agent.heard === null && agent.configured === null)
    const condition = nextAgent(isUnheard ? null : agent.condition, event)
    if (!condition) return
    const { record, heard } = agent ?? { record: null, heard: null }
    this.#keep({ uuid, condition, record, configured, heard })
  }

  /**
   * An agent removed from the configuration has to register again; its record is deleted with the
   * next write.
   */
  #lose(agent: KnownAgent): void {
    this.#drop(agent.uuid)
    if (!agent.record) return
    const { store, log } = this.#options
    const removed = store.change((transaction) => transaction.remove(AGENTS, agent.uuid))
    inBackground(log, 'The record of an agent could not be removed', removed)
  }

  #apply(agent: KnownAgent, event: AgentEvent): void {
    const next = afterEvent(agent, event)
    if (next) return this.#keep(next)
    this.#drop(agent.uuid)
    if (agent.configured) this.#place(agent.uuid, agent.configured)
  }

  /** The next contact repeats whatever is lost, so the write may wait for others. */
  async #writeSoon(uuid: string, now: number): Promise<void> {
    if (this.#due.size === 0) this.#dueSince = now
    this.#due.add(uuid)
    if (this.#due.size < MAX_BATCH_SIZE && now - this.#dueSince < MAX_WRITE_DELAY_MS) return
    const records = [...this.#due].flatMap((due) => this.find(due)?.record ?? [])
    this.#due.clear()
    await this.#options.store.change(async (transaction) => {
      for (const record of records) await transaction.put(AGENTS, record.uuid, record)
    })
  }

  #keep(agent: KnownAgent): void {
    const before = this.find(agent.uuid)
    if (!before || !sortsAlike(before, agent)) this.#order = null
    this.#agents.set(agent.uuid, agent)
  }

  #drop(uuid: string): void {
    this.#order = null
    this.#agents.delete(uuid)
  }
}

/** Whether a silent agent can be dropped: its machine was never approved. */
function isStranger(agent: KnownAgent): boolean {
  return agent.configured === null || isUnknownMachine(agent)
}

/** The uuids of the agents by name, working folder and uuid. */
function sortedUuids(agents: Iterable<KnownAgent>): readonly string[] {
  const keyed = Array.from(agents, (agent) => [...placeOf(agent), agent.uuid])
  keyed.sort((one, other) => {
    const different = one.findIndex((key, at) => key !== other[at])
    return (one[different] ?? '') < (other[different] ?? '') ? -1 : 1
  })
  return keyed.map((keys) => keys.at(-1) ?? '')
}

/** Whether two states of an agent have the same position in the list. */
function sortsAlike(one: KnownAgent, other: KnownAgent): boolean {
  const keys = placeOf(other)
  return placeOf(one).every((key, at) => key === keys[at])
}

function placeOf(agent: KnownAgent): readonly string[] {
  const { hostname, sandbox } = factsOf(agent)
  return [hostname, sandbox]
}
