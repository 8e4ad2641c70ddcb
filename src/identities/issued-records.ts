import { isSameName } from '../core/name-key.ts'
import { inBackground } from '../lib/in-background.ts'
import { keptOf } from '../security/issued-secret.ts'
import type { IssuedOwner } from './issued-owner.ts'
import type { IssuedRecord, OwnedRecord } from './issued-record.ts'
import { OwnedRecords } from './owned-records.ts'

const MINUTE_MS = 60_000
const MAX_NOTED = 10_000

/** The issued secrets of one kind in the store. */
export abstract class IssuedRecords<
  Record extends IssuedRecord & { readonly owner: IssuedOwner | null },
> extends OwnedRecords<Record> {
  /** The minutes of the uses that were noted, or could not be: each is tried once. */
  readonly #noted = new Map<string, number>()

  /** The record of a secret; null when none like it is there. */
  protected async findIssued(secret: string): Promise<Record | null> {
    const { id, hash } = keptOf(secret)
    const record = await this.options.store.find(this.kind, id)
    return record?.hash === hash ? record : null
  }

  /** Records the use of a credential, to the minute, in the background. */
  protected noteUse(record: Record): void {
    const { clock, log, store } = this.options
    const lastUsed = Math.floor(clock() / MINUTE_MS) * MINUTE_MS
    if (Math.max(record.lastUsed ?? 0, this.#noted.get(record.id) ?? 0) >= lastUsed) return
    if (this.#noted.size >= MAX_NOTED) this.#noted.clear()
    this.#noted.set(record.id, lastUsed)
    const noted = store.change(async (transaction) => {
      const current = await transaction.find(this.kind, record.id)
      if (current !== null) await transaction.put(this.kind, record.id, { ...current, lastUsed })
    })
    inBackground(log, `The last use of a ${this.kind.name} could not be noted`, noted)
  }
}

/** Whether a record belongs to a user of this name, of whichever source. */
export function isOwner({ owner }: OwnedRecord, username: string): boolean {
  return isSameName(owner.name, username)
}
