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
export abstract class OwnedRecords<Record extends Owned> {
  protected readonly kind: DocumentKind<Record>
  protected readonly options: OwnedRecordsOptions

  constructor(kind: DocumentKind<Record>, options: OwnedRecordsOptions) {
    this.kind = kind
    this.options = options
  }

  protected findById(id: string): Promise<Record | null> {
    return this.options.store.find(this.kind, id)
  }

  /** The records that `isWanted` picks, oldest first. */
  protected async listed(isWanted: (record: Record) => boolean): Promise<Record[]> {
    const entries = await this.options.store.list(this.kind)
    return entries
      .map(({ value }) => value)
      .filter(isWanted)
      .toSorted((one, other) => one.created - other.created)
  }

  /** Adds or replaces a record, and ends those of the others that `endedBy` picks; it may refuse by throwing. */
  protected async add(
    record: Record,
    endedBy: (others: readonly Record[]) => readonly Record[] = () => [],
  ): Promise<void> {
    const ended = await this.options.store.change(async (transaction) => {
      const entries = await transaction.list(this.kind)
      const ending = endedBy(entries.map(({ value }) => value))
      for (const { id } of ending) await transaction.remove(this.kind, id)
      await transaction.put(this.kind, record.id, record)
      return ending.length > 0
    })
    if (ended) this.options.ended()
  }

  /** Changes one that `isWanted` accepts. Returns whether there was one. */
  protected change(
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
  protected async endOne(
    id: string,
    isWanted: (record: Record) => boolean,
  ): Promise<Record | null> {
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
  protected async endAll(isWanted: (record: Record) => boolean): Promise<void> {
    const found = await this.listed(isWanted)
    if (found.length === 0) return
    await this.options.store.change(async (transaction) => {
      for (const { id } of found) await transaction.remove(this.kind, id)
    })
    this.options.ended()
  }

  /** Ends those of all owners that `isMeant` picks. */
  endOfAll(isMeant: (owner: IssuedOwner) => boolean): Promise<void> {
    return this.endAll(({ owner }) => owner !== null && isMeant(owner))
  }

  /** Ends those of a user. */
  endOf(principal: Principal): Promise<void> {
    return this.endOfAll((owner) => isSameOwner(owner, principal))
  }

  /**
   * Updates the records of a user of another source to the present roles, and adds the id where
   * they have none. When nothing has changed, the update is written once an hour.
   */
  async vouch(principal: Principal): Promise<void> {
    if (principal.external === undefined) return
    const now = ownerOf(principal, this.options.clock())
    const isWanted = ({ owner }: Record) =>
      owner !== null && isSameOwner(owner, principal) && isOutdated(owner, now)
    if ((await this.listed(isWanted)).length === 0) return
    await this.options.store.change(async (transaction) => {
      for (const { key, value } of await transaction.list(this.kind)) {
        const owner = { ...now, name: value.owner?.name ?? now.name }
        if (isWanted(value)) await transaction.put(this.kind, key, { ...value, owner })
      }
    })
    this.options.ended()
  }
}

function isOutdated(owner: IssuedOwner, now: IssuedOwner): boolean {
  const isSame = owner.id === now.id && isDeepStrictEqual(owner.roles, now.roles)
  return !isSame || now.vouched - owner.vouched >= VOUCHED_AGAIN_AFTER_MS
}
