import {
  type ServiceMaintenance,
  MAINTENANCE,
  MAINTENANCE_KEY,
  maintenanceObstacle,
  NO_MAINTENANCE,
} from '../core/service/maintenance.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../lib/clock.ts'
import { Emitter } from '../lib/emitter.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { StateStore } from '../state/state-store.ts'
import { type Access, assertMay } from './access/permission.ts'

export interface MaintenanceModeOptions {
  readonly store: StateStore
  /** Whether other servers change it too. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly log: Log
}

export type MaintenanceRequest = Pick<ServiceMaintenance, 'saves' | 'starts' | 'reason'>

/** How often a server looks for changes by others, in milliseconds. */
const POLL_INTERVAL_MS = 1_000
const MAX_REASON_LENGTH = 1_000

/**
 * The maintenance mode of the service. The stored document decides about every save and every start;
 * what is shown may lag behind another server by a second.
 */
export class MaintenanceMode implements AsyncDisposable {
  readonly #options: MaintenanceModeOptions
  readonly #changed = new Emitter<[ServiceMaintenance]>()
  readonly #timer: NodeJS.Timeout | null
  #polling: Promise<unknown> = Promise.resolve()
  #current: ServiceMaintenance

  private constructor(options: MaintenanceModeOptions, current: ServiceMaintenance) {
    this.#options = options
    this.#current = current
    this.#timer = options.isShared
      ? setInterval(() => this.#poll(), POLL_INTERVAL_MS).unref()
      : null
  }

  static async open(options: MaintenanceModeOptions): Promise<MaintenanceMode> {
    return new MaintenanceMode(options, await stored(options))
  }

  /** The mode as this server knows it. */
  current(): ServiceMaintenance {
    return this.#current
  }

  /** The mode as it is stored. */
  async read(): Promise<ServiceMaintenance> {
    const read = await stored(this.#options)
    this.#note(read)
    return read
  }

  /** @throws {ServiceError} `maintenance` while saves are refused. */
  async assertSavesAllowed(): Promise<void> {
    const obstacle = maintenanceObstacle('saves', await this.read())
    if (obstacle !== null) throw obstacle
  }

  async set(
    by: string,
    { saves, starts, reason }: MaintenanceRequest,
  ): Promise<ServiceMaintenance> {
    const { store, clock } = this.#options
    const cut = reason.trim().slice(0, MAX_REASON_LENGTH).toWellFormed().replaceAll('\0', '')
    const next = { saves, starts, reason: cut, by, since: clock() }
    await store.change((transaction) => transaction.put(MAINTENANCE, MAINTENANCE_KEY, next))
    this.#note(next)
    return next
  }

  /** Calls the listener after each change; returns a function that unsubscribes it. */
  onChange(listener: (maintenance: ServiceMaintenance) => void): () => void {
    return this.#changed.on(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await Promise.allSettled([this.#polling])
  }

  #poll(): void {
    this.#polling = this.read()
    inBackground(this.#options.log, 'The maintenance mode could not be read', this.#polling)
  }

  #note(read: ServiceMaintenance): void {
    const isNew = JSON.stringify(read) !== JSON.stringify(this.#current)
    this.#current = read
    if (isNew) this.#changed.emit(read)
  }
}

async function stored({
  store,
}: Pick<MaintenanceModeOptions, 'store'>): Promise<ServiceMaintenance> {
  return (await store.find(MAINTENANCE, MAINTENANCE_KEY)) ?? NO_MAINTENANCE
}

export interface MaintenanceDeps {
  readonly access: Access
  readonly maintenance: MaintenanceMode
}

/** @throws {ServiceError} `not-permitted`. */
export async function readMaintenance(
  { access, maintenance }: MaintenanceDeps,
  principal: Principal,
): Promise<ServiceMaintenance> {
  assertMay(access, principal, { action: 'administer' })
  return maintenance.read()
}

/**
 * Refuses or allows saves and starts, on all servers.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function setMaintenance(
  { access, maintenance }: MaintenanceDeps,
  principal: Principal,
  request: MaintenanceRequest,
): Promise<ServiceMaintenance> {
  assertMay(access, principal, { action: 'administer' })
  return maintenance.set(principal.username, request)
}
