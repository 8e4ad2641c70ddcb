import { z } from 'zod'
import type { DocumentKind } from '../core/document-kind.ts'
import type { UsersStore } from '../security/users.ts'
import type { StateStore } from '../state/state-store.ts'

const Lines = z.object({ lines: z.array(z.string()) })

/** The one document with the users of a database. */
export const STORED_USERS: DocumentKind<z.infer<typeof Lines>> = { name: 'users', schema: Lines }

const KEY = 'users'

/** Users in the state, where every server that shares it finds them. */
export class StoredUsers implements UsersStore {
  readonly #store: StateStore

  constructor(store: StateStore) {
    this.#store = store
  }

  async text(): Promise<string> {
    const found = await this.#store.find(STORED_USERS, KEY)
    return (found?.lines ?? []).map((line) => `${line}\n`).join('')
  }

  change(change: Parameters<UsersStore['change']>[0]): Promise<boolean> {
    return this.#store.change(async (transaction) => {
      const found = await transaction.find(STORED_USERS, KEY)
      const lines = change(found?.lines ?? [])
      if (lines === null) return false
      await transaction.put(STORED_USERS, KEY, { lines: [...lines] })
      return true
    })
  }

  /** The lines are few. */
  stamp(): Promise<string> {
    return this.text()
  }

  /** Does nothing: the database does not report changes. */
  watch(): Disposable {
    return { [Symbol.dispose]: () => undefined }
  }
}
