import type { InvitationRecord } from '../../identities/issued-record.ts'
import { Invitations } from '../../identities/invitations.ts'
import { Tokens } from '../../identities/tokens.ts'
import { readSettings, separateWords } from '../../settings/read-settings.ts'
import { type InviteSettings, SETTINGS } from '../../settings/settings.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { CALLER } from '../caller.ts'
import { say, writeLog } from '../output.ts'
import { recordedIn } from '../recorded.ts'
import { placeOf } from '../state-place.ts'
import { wrongUsage } from '../usage.ts'
import { usersReader } from '../users-place.ts'

/** Makes, lists and revokes invitations of agents, also beside a service that runs. */
export async function agentInvite(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS['agent invite'], args)
  const settings = readSettings(SETTINGS['agent invite'], flags)
  const [verb, id] = words
  if (words.length === 0) return withInvitations(settings, create)
  if (verb === 'list' && words.length === 1) return withInvitations(settings, list)
  if (verb === 'revoke' && id !== undefined && words.length === 2)
    return withInvitations(settings, (invitations) => revoke(invitations, id, settings))
  throw wrongUsage('agent invite')
}

async function withInvitations(
  settings: InviteSettings,
  use: (invitations: Invitations, settings: InviteSettings) => Promise<void>,
): Promise<number> {
  await actAsOwner(settings['state-dir'])
  await using store = await placeOf(settings).open()
  const users = usersReader(store, settings)
  const issued = { store, users, clock: Date.now, log: writeLog, ended: () => {} }
  await use(new Invitations({ ...issued, tokens: new Tokens(issued) }), settings)
  return 0
}

async function create(invitations: Invitations, settings: InviteSettings): Promise<void> {
  const { resources, environments, 'valid-for': validFor } = settings
  const expires = Date.now() + validFor
  const wanted = { resources, environments, expires }
  const made = await recordedIn(settings)(
    { action: 'create-invitation', target: '/api/agent-invitations' },
    () => invitations.create(CALLER, wanted),
    ({ id }) => targetOf(id),
  )
  say(made.invitation)
}

async function list(invitations: Invitations): Promise<void> {
  for (const record of await invitations.list()) say(lineOf(record))
}

async function revoke(
  invitations: Invitations,
  id: string,
  settings: InviteSettings,
): Promise<void> {
  const what = { action: 'revoke-invitation', target: targetOf(id) }
  await recordedIn(settings)(what, () => invitations.revoke(id))
  say(`The invitation ${id} is revoked`)
}

function targetOf(id: string): string {
  return `/api/agent-invitations/${id}`
}

function lineOf({ id, maker, expires, resources, environments }: InvitationRecord): string {
  const until = new Date(expires).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
  return [id, maker, `expires ${until}`, resources.join(','), environments.join(',')].join('\t')
}
