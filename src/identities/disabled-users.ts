import { z } from 'zod'
import type { DocumentKind } from '../core/document-kind.ts'
import { isSameName, nameKey } from '../core/name-key.ts'
import { type Principal, sourceOf, UserSource } from '../core/principal.ts'
import type { StateStore } from '../state/state-store.ts'

/** A disabled user of a directory or a provider. Users of the users file are disabled there. */
const DisabledUser = z.object({
  name: z.string(),
  source: UserSource.exclude(['users-file']),
  id: z.string().nullable(),
})
export type DisabledUser = Readonly<z.infer<typeof DisabledUser>>

export const DISABLED_USERS: DocumentKind<DisabledUser> = {
  name: 'disabled-user',
  schema: DisabledUser,
}

/** Whether a user of elsewhere is disabled, by this name or by another one of the same user. */
export async function isDisabledElsewhere(
  store: StateStore,
  principal: Principal,
): Promise<boolean> {
  return (await listDisabledElsewhere(store)).some((disabled) => isOf(disabled, principal))
}

export async function listDisabledElsewhere(store: StateStore): Promise<readonly DisabledUser[]> {
  return (await store.list(DISABLED_USERS)).map(({ value }) => value)
}

/** Disables a user of elsewhere, or enables the user again. */
export async function setDisabledElsewhere(
  store: StateStore,
  principal: Principal,
  isDisabled: boolean,
): Promise<void> {
  const { username: name, userId: id = null, external } = principal
  if (external === undefined) return
  const { source } = external
  await store.change(async (transaction) => {
    for (const { key, value } of await transaction.list(DISABLED_USERS))
      if (isOf(value, principal)) await transaction.remove(DISABLED_USERS, key)
    if (isDisabled)
      await transaction.put(DISABLED_USERS, `${source} ${nameKey(name)}`, { name, source, id })
  })
}

function isOf({ name, source, id }: DisabledUser, principal: Principal): boolean {
  if (source !== sourceOf(principal)) return false
  return isSameName(name, principal.username) || (id !== null && id === principal.userId)
}
