import type { TokenRecord } from '../../identities/issued-record.ts'
import { isExpired, Tokens } from '../../identities/tokens.ts'
import { findUser, localPrincipal, userNotFound, type UsersReading } from '../../security/users.ts'
import { readSettings, separateWords } from '../../settings/read-settings.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { SETTINGS, type TokenSettings } from '../../settings/settings.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { say, writeLog } from '../output.ts'
import { recordedIn } from '../recorded.ts'
import { placeOf } from '../state-place.ts'
import { wrongUsage } from '../usage.ts'
import { usersReader } from '../users-place.ts'

/** Makes, lists and revokes the tokens of users, also beside a service that runs. */
export async function token(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS.token, args)
  const settings = readSettings(SETTINGS.token, flags)
  const [verb, what, ...others] = words
  if (verb === 'list' && what === undefined) return withTokens(settings, list)
  if (what === undefined || others.length > 0) throw wrongUsage('token')
  if (verb === 'create')
    return withTokens(settings, (tokens, _, reading) => create(tokens, what, { settings, reading }))
  if (verb === 'revoke') return withTokens(settings, (tokens) => revoke(tokens, what, settings))
  throw wrongUsage('token')
}

async function withTokens(
  settings: TokenSettings,
  use: (tokens: Tokens, settings: TokenSettings, reading: UsersReading) => Promise<void>,
): Promise<number> {
  await actAsOwner(settings['state-dir'])
  await using store = await placeOf(settings).open()
  const users = usersReader(store, settings)
  const tokens = new Tokens({
    store,
    users,
    clock: Date.now,
    log: writeLog,
    ended: () => {},
  })
  await use(tokens, settings, await users())
  return 0
}

async function create(
  tokens: Tokens,
  name: string,
  given: { readonly settings: TokenSettings; readonly reading: UsersReading },
): Promise<void> {
  const { settings, reading } = given
  const { user, scope, expires } = settings
  if (user === null) throw new SettingsError('--user says whose token it is')
  const owner = findUser(reading.users, user)
  if (owner === null) throw userNotFound(user)
  const made = await recordedIn(settings)(
    { action: 'create-token', target: '/api/tokens' },
    () => tokens.create(localPrincipal(reading, owner[0]), { name, scope, expires }),
    ({ id }) => targetOf(id),
  )
  say(made.token)
}

async function list(tokens: Tokens, { user }: TokenSettings): Promise<void> {
  for (const record of await tokens.list(user)) say(lineOf(record))
}

async function revoke(tokens: Tokens, id: string, settings: TokenSettings): Promise<void> {
  const what = { action: 'revoke-token', target: targetOf(id) }
  const { name, owner } = await recordedIn(settings)(what, () => tokens.revoke(id, null))
  say(`The token ${name} of ${owner.name} is revoked`)
}

function targetOf(id: string): string {
  return `/api/tokens/${id}`
}

function lineOf(record: TokenRecord): string {
  const { id, owner, scope, name, lastUsed, expires } = record
  const used = lastUsed === null ? 'never used' : `last used ${timeOf(lastUsed)}`
  const end = isExpired(record, Date.now()) ? 'expired' : 'expires'
  const ends = expires === null ? 'does not expire' : `${end} ${timeOf(expires)}`
  return [id, owner.name, scope, used, ends, name].join('\t')
}

function timeOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
}
