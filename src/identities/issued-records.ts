import { isDeepStrictEqual } from 'node:util'
import type { DocumentKind } from '../core/document-kind.ts'
import { isSameName } from '../core/name-key.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { keptOf } from '../security/issued-secret.ts'
import type { UsersReading } from '../security/users.ts'
import type { StateStore } from '../state/state-store.ts'
import { type IssuedOwner, isSameOwner, ownerOf } from './issued-owner.ts'
import type { IssuedRecord, OwnedRecord } from './issued-record.ts'

const MINUTE_MS = 60_000
const MAX_NOTED = 10_000
const VOUCHED_AGAIN_AFTER_MS = 60 * MINUTE_MS

export interface IssuedRecordsOptions {
  readonly store: StateStore
  readonly users: () => Promise<UsersReading>
  readonly clock: Clock
  readonly log: Log
  /** Called when something issued has ended or changed. */
  readonly ended: () => void
}

/** The issued secrets of one kind in the store. */
export class IssuedRecords<Record extends IssuedRecord & { readonly owner: IssuedOwner | null }> {
  readonly #kind: DocumentKind<Record>
  readonly #options: IssuedRecordsOptions
  /** The minutes of the uses that were noted, or could not be: each is tried once. */
  readonly #noted = new Map<string, number>()

  constructor(kind: DocumentKind<Record>, options: IssuedRecordsOptions) {
    this.#kind = kind
    this.#options = options
  }

  /** The record of a secret; null when none like it is there. */
  async find(secret: string): Promise<Record | null> {
    const { id, hash } = keptOf(secret)
    const record = await this.#options.store.find(this.#kind, id)
    return record?.hash === hash ? record : null
  }

  findById(id: string): Promise<Record | null> {
    return this.#options.store.find(this.#kind, id)
  }

  /** The records that `isWanted` picks, oldest first. */
  async list(isWanted: (record: Record) => boolean): Promise<Record[]> {
    const entries = await this.#options.store.list(this.#kind)
    return entries
      .map(({ value }) => value)
      .filter(isWanted)
      .toSorted((one, other) => one.created - other.created)
  }

  /** Adds the record of a new secret, unless `refuse` throws when it is given the others. */
  async add(record: Record, refuse: (others: readonly Record[]) => void = () => {}): Promise<void> {
    await this.#options.store.change(async (transaction) => {
      const entries = await transaction.list(this.#kind)
      refuse(entries.map(({ value }) => value))
      await transaction.put(this.#kind, record.id, record)
    })
  }

  /** Changes one that `isWanted` accepts. Returns whether there was one. */
  change(
    id: string,
    isWanted: (record: Record) => boolean,
    edit: (record: Record) => Record,
  ): Promise<boolean> {
    return this.#options.store.change(async (transaction) => {
      const record = await transaction.find(this.#kind, id)
      if (record === null || !isWanted(record)) return false
      await transaction.put(this.#kind, id, edit(record))
      return true
    })
  }

  /** Ends one that `isWanted` accepts. Returns it, or null when there is none. */
  async end(id: string, isWanted: (record: Record) => boolean): Promise<Record | null> {
    const ended = await this.#options.store.change(async (transaction) => {
      const record = await transaction.find(this.#kind, id)
      if (record === null || !isWanted(record)) return null
      await transaction.remove(this.#kind, id)
      return record
    })
    if (ended !== null) this.#options.ended()
    return ended
  }

  /** Ends all that `isWanted` picks. */
  async endAll(isWanted: (record: Record) => boolean): Promise<void> {
    const found = await this.list(isWanted)
    if (found.length === 0) return
    await this.#options.store.change(async (transaction) => {
      for (const { id } of found) await transaction.remove(this.#kind, id)
    })
    this.#options.ended()
  }

  /** Changes all that `isWanted` picks. */
  async changeAll(
    isWanted: (record: Record) => boolean,
    changed: (record: Record) => Record,
  ): Promise<void> {
    if ((await this.list(isWanted)).length === 0) return
    await this.#options.store.change(async (transaction) => {
      for (const { key, value } of await transaction.list(this.#kind))
        if (isWanted(value)) await transaction.put(this.#kind, key, changed(value))
    })
    this.#options.ended()
  }

  /**
   * Updates the credentials of a user of another source to the present roles, and adds the id where
   * they have none. When nothing has changed, the update is written once an hour.
   */
  async vouch(principal: Principal): Promise<void> {
    if (principal.external === undefined) return
    const now = ownerOf(principal, this.#options.clock())
    await this.changeAll(
      ({ owner }) => owner !== null && isSameOwner(owner, principal) && isOutdated(owner, now),
      (record) => ({ ...record, owner: { ...now, name: record.owner?.name ?? now.name } }),
    )
  }

  /** Records the use of a credential, to the minute, in the background. */
  noteUse(record: Record): void {
    const { clock, log, store } = this.#options
    const lastUsed = Math.floor(clock() / MINUTE_MS) * MINUTE_MS
    if (Math.max(record.lastUsed ?? 0, this.#noted.get(record.id) ?? 0) >= lastUsed) return
    if (this.#noted.size >= MAX_NOTED) this.#noted.clear()
    this.#noted.set(record.id, lastUsed)
    const noted = store.change(async (transaction) => {
      const current = await transaction.find(this.#kind, record.id)
      if (current !== null) await transaction.put(this.#kind, record.id, { ...current, lastUsed })
    })
    inBackground(log, `The last use of a ${this.#kind.name} could not be noted`, noted)
  }
}

function isOutdated(owner: IssuedOwner, now: IssuedOwner): boolean {
  const isSame = owner.id === now.id && isDeepStrictEqual(owner.roles, now.roles)
  return !isSame || now.vouched - owner.vouched >= VOUCHED_AGAIN_AFTER_MS
}

/** Whether a record belongs to a user of this name, of whichever source. */
export function isOwner({ owner }: OwnedRecord, username: string): boolean {
  return isSameName(owner.name, username)
}
