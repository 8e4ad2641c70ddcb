import { nameKey } from '../core/name-key.ts'
import type { UserSource } from '../core/principal.ts'
import type { KnownUser } from '../security/permission-reasons.ts'
import { isDisabledUser, localPrincipal, type UsersReading } from '../security/users.ts'
import type { StateStore } from '../state/state-store.ts'
import { isDisabledElsewhere, listDisabledElsewhere } from './disabled-users.ts'
import type { IssuedOwner } from './issued-owner.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'

/** The stores that know users. */
export interface AccountSources {
  readonly accounts: { read(): Promise<UsersReading> }
  readonly tokens: Tokens
  readonly sessions: Sessions
  readonly identityStore: StateStore
}

interface Used {
  readonly owner: Pick<IssuedOwner, 'name' | 'source' | 'id' | 'roles'>
  readonly tokens: number
  readonly lastUsed: number | null
}

/** A user with what was issued to them. */
export interface Account {
  readonly user: KnownUser
  readonly disabled: boolean
  readonly used: Used | null
}

/**
 * The users of the users file, and those of other sources who have issued credentials or are
 * disabled; by name.
 */
export async function accountsOf(deps: AccountSources): Promise<readonly Account[]> {
  const reading = await deps.accounts.read()
  const used = await issuedTo(deps)
  const local = Array.from(reading.users, ([name, stored]) => ({
    user: localPrincipal(reading, name),
    disabled: isDisabledUser(stored),
    used: used.get(keyOf({ name, source: 'users-file' })) ?? null,
  }))
  const disabled = await listDisabledElsewhere(deps.identityStore)
  const idle = disabled
    .map((user) => ({ ...user, roles: [] }))
    .filter((user) => !used.has(keyOf(user)))
  const elsewhere = [...[...used.values()].map(({ owner }) => owner), ...idle].flatMap(
    ({ name, source, id, roles }) => {
      if (source === 'users-file') return []
      const user = {
        username: name,
        ...(id === null ? {} : { userId: id }),
        external: { source, roles },
      }
      return [user]
    },
  )
  const others = await Promise.all(
    elsewhere.map(async (user) => ({
      user,
      disabled: await isDisabledElsewhere(deps.identityStore, user),
      used: used.get(keyOf({ name: user.username, source: user.external.source })) ?? null,
    })),
  )
  return [...local, ...others].toSorted((one, other) =>
    one.user.username < other.user.username ? -1 : 1,
  )
}

/** Tokens and sessions of users, by the key of the user. */
async function issuedTo({ tokens, sessions }: AccountSources): Promise<ReadonlyMap<string, Used>> {
  const used = new Map<string, Used>()
  for (const { owner, lastUsed, ...record } of [
    ...(await tokens.list(null)),
    ...(await sessions.list()),
  ]) {
    const key = keyOf(owner)
    const known = used.get(key) ?? { owner, tokens: 0, lastUsed: null }
    used.set(key, {
      owner,
      tokens: known.tokens + ('scope' in record ? 1 : 0),
      lastUsed: lastUsed === null ? known.lastUsed : Math.max(lastUsed, known.lastUsed ?? 0),
    })
  }
  return used
}

function keyOf({ name, source }: { readonly name: string; readonly source: UserSource }): string {
  return `${source} ${nameKey(name)}`
}
