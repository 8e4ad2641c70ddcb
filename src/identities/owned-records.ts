import { isDeepStrictEqual } from 'node:util'
import type { DocumentKind } from '../core/document-kind.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { UsersReading } from '../security/users.ts'
import type { StateStore } from '../state/state-store.ts'
import { type IssuedOwner, isSameOwner, ownerOf } from './issued-owner.ts'

const VOUCHED_AGAIN_AFTER_MS = 3_600_000

export interface OwnedRecordsOptions {
  readonly store: StateStore
  readonly users: () => Promise<UsersReading>
  readonly clock: Clock
  readonly log: Log
  /** Called when some have ended or changed. */
  readonly ended: () => void
}

interface Owned {
  readonly id: string
  /** Milliseconds since the UNIX epoch. */
  readonly created: number
  readonly owner: IssuedOwner | null
}

/** The records of one kind that end with the user to whom they belong. */
export class OwnedRecords<Record extends Owned> {
  protected readonly kind: DocumentKind<Record>
  protected readonly options: OwnedRecordsOptions

  constructor(kind: DocumentKind<Record>, options: OwnedRecordsOptions) {
    this.kind = kind
    this.options = options
  }

  findById(id: string): Promise<Record | null> {
    return this.options.store.find(this.kind, id)
  }

  /** The records that `isWanted` picks, oldest first. */
  async list(isWanted: (record: Record) => boolean): Promise<Record[]> {
    const entries = await this.options.store.list(this.kind)
    return entries
      .map(({ value }) => value)
      .filter(isWanted)
      .toSorted((one, other) => one.created - other.created)
  }

  /** Adds or replaces a record, unless `refuse` throws when it is given the others. */
  async add(record: Record, refuse: (others: readonly Record[]) => void = () => {}): Promise<void> {
    await this.options.store.change(async (transaction) => {
      const entries = await transaction.list(this.kind)
      refuse(entries.map(({ value }) => value))
      await transaction.put(this.kind, record.id, record)
    })
  }

  /** Changes one that `isWanted` accepts. Returns whether there was one. */
  change(
    id: string,
    isWanted: (record: Record) => boolean,
    edit: (record: Record) => Record,
  ): Promise<boolean> {
    return this.options.store.change(async (transaction) => {
      const record = await transaction.find(this.kind, id)
      if (record === null || !isWanted(record)) return false
      await transaction.put(this.kind, id, edit(record))
      return true
    })
  }

  /** Ends one that `isWanted` accepts. Returns it, or null when there is none. */
  async end(id: string, isWanted: (record: Record) => boolean): Promise<Record | null> {
    const ended = await this.options.store.change(async (transaction) => {
      const record = await transaction.find(this.kind, id)
      if (record === null || !isWanted(record)) return null
      await transaction.remove(this.kind, id)
      return record
    })
    if (ended !== null) this.options.ended()
    return ended
  }

  /** Ends all that `isWanted` picks. */
  async endAll(isWanted: (record: Record) => boolean): Promise<void> {
    const found = await this.list(isWanted)
    if (found.length === 0) return
    await this.options.store.change(async (transaction) => {
      for (const { id } of found) await transaction.remove(this.kind, id)
    })
    this.options.ended()
  }

  /** Changes all that `isWanted` picks. */
  async changeAll(
    isWanted: (record: Record) => boolean,
    changed: (record: Record) => Record,
  ): Promise<void> {
    if ((await this.list(isWanted)).length === 0) return
    await this.options.store.change(async (transaction) => {
      for (const { key, value } of await transaction.list(this.kind))
        if (isWanted(value)) await transaction.put(this.kind, key, changed(value))
    })
    this.options.ended()
  }

  /**
   * Updates the records of a user of another source to the present roles, and adds the id where
   * they have none. When nothing has changed, the update is written once an hour.
   */
  async vouch(principal: Principal): Promise<void> {
    if (principal.external === undefined) return
    const now = ownerOf(principal, this.options.clock())
    await this.changeAll(
      ({ owner }) => owner !== null && isSameOwner(owner, principal) && isOutdated(owner, now),
      (record) => ({ ...record, owner: { ...now, name: record.owner?.name ?? now.name } }),
    )
  }
}

function isOutdated(owner: IssuedOwner, now: IssuedOwner): boolean {
  const isSame = owner.id === now.id && isDeepStrictEqual(owner.roles, now.roles)
  return !isSame || now.vouched - owner.vouched >= VOUCHED_AGAIN_AFTER_MS
}
