import type { ConfiguredAccess } from '../configuration/access/access.ts'
import { splitEntity } from '../document/entities/entities.ts'
import { assertLoggedIn } from './logged-in.ts'
import { parseEntityKey } from '../configuration/changes/config-changes.ts'
import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'
import { administers } from '../configuration/entities/entity-access.ts'
import { malformedRequest } from '../core/errors.ts'
import type { MailWishes } from '../core/service/mail-wishes.ts'
import { isSameName } from '../core/name-key.ts'
import type { Principal } from '../core/principal.ts'
import { findEntity } from '../document/edit/entity-edits.ts'
import type { MailSubscriptions } from './mail-subscriptions.ts'

export interface SubscriptionDeps {
  readonly access: ConfiguredAccess
  readonly configuration: CurrentConfiguration
  readonly subscriptions: MailSubscriptions
}

const MAX_ADDRESS_LENGTH = 254
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u
const MAX_NAMES = 200

/**
 * Subscribes the caller to news by mail. Only what the caller may see can be named; what the caller may see
 * is asked again for each mail.
 *
 * @throws {ServiceError} `not-permitted` to who calls with a token, `malformed-request`.
 */
export async function subscribe(
  deps: SubscriptionDeps,
  principal: Principal,
  wishes: MailWishes,
): Promise<void> {
  assertOwn(principal)
  assertAddress(wishes.address)
  if (wishes.pipelines.length + wishes.entities.length > MAX_NAMES)
    throw malformedRequest(`At most ${MAX_NAMES} names can be given`, 'pipelines')
  for (const name of wishes.pipelines) assertPipeline(deps, principal, name)
  for (const entity of wishes.entities) assertEntity(deps, principal, entity)
  await deps.subscriptions.put(principal, wishes)
}

/**
 * Ends the caller's subscription.
 *
 * @throws {ServiceError} `not-permitted` to who calls with a token.
 */
export async function unsubscribe(
  { subscriptions }: Pick<SubscriptionDeps, 'subscriptions'>,
  principal: Principal,
): Promise<void> {
  assertOwn(principal)
  await subscriptions.endOf(principal)
}

function assertOwn(principal: Principal): void {
  const message = 'A token changes no subscription'
  assertLoggedIn(principal, { permission: 'subscribe', message })
}

function assertAddress(address: string): void {
  if (address.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(address)) return
  throw malformedRequest(`"${address}" is not an address such as kim@example.org`, 'address')
}

/** A pipeline that the caller may not view is refused as one that is not there. */
function assertPipeline({ access }: SubscriptionDeps, principal: Principal, name: string): void {
  const [pipeline = '', stage] = name.split('/', 2)
  const stages = access.stagesOf(pipeline)
  if (stages === null || !access.may(principal, { action: 'view-pipeline', pipeline }))
    throw malformedRequest(`There is no pipeline ${pipeline} that you may view`, 'pipelines')
  if (stage === undefined || stages.some((each) => isSameName(each, stage))) return
  throw malformedRequest(`The pipeline ${pipeline} has no stage ${stage}`, 'pipelines')
}

function assertEntity(
  { access, configuration }: SubscriptionDeps,
  principal: Principal,
  entity: string,
): void {
  const found = findEntity(configuration.read().root, splitEntity(parseEntityKey(entity)))
  if (found !== null && administers(access, principal, found)) return
  throw malformedRequest(`There is no ${entity} whose changes you may see`, 'entities')
}
