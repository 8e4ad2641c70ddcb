import type { ConfiguredAccess } from '../configuration/access/access.ts'
import type { CredentialCheck } from '../security/credentials.ts'
import type { UserAdministrationDeps } from './administer-users.ts'
import type { InvitationDeps } from './invitations.ts'
import type { SubscriptionDeps } from './subscribe.ts'
import type { TokenDeps } from './tokens.ts'

/** Users, and what they log in with: the sum of what the use cases of this room take. */
export interface IdentitiesDomain
  extends UserAdministrationDeps, InvitationDeps, TokenDeps, SubscriptionDeps {
  readonly access: ConfiguredAccess
  readonly credentials: CredentialCheck
}
