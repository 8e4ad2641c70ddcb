import type { ListedUser, NewCredentials } from '../../identities/administer-users.ts'
import type { TokenRecord } from '../../identities/issued-record.ts'
import { isSameName } from '../../core/name-key.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { When } from '../kit/when.tsx'
import { OwnPermissionsCard } from '../permissions/own-permissions.tsx'
import type { OwnPermissions } from '../permissions/permissions-page.ts'
import { TokensTable } from '../tokens/tokens-view.tsx'
import { MadePassword, PasswordFields } from './password-fields.tsx'
import { sourceIn, SOURCES } from './users-view.tsx'

export interface UserViewProps {
  readonly frame: PageFrame
  readonly flash: FlashMessage | null
  readonly user: ListedUser
  readonly tokens: readonly TokenRecord[]
  /** What the user may do; null for one who is disabled. */
  readonly own: OwnPermissions | null
  /** The password that was just given, or null. */
  readonly made: NewCredentials | null
  readonly now: number
}

/** One user: what is known, the tokens, and what an administrator does. */
export function UserView(props: UserViewProps) {
  const { frame, flash, user, tokens, own, made, now } = props
  const { links } = frame
  const { name, source } = user
  return (
    <PageLayout frame={frame} title={name} styles={['my-tokens.css', 'permissions.css']}>
      <div class="page-head">
        <div>
          <h1>{name}</h1>
          <Facts {...props} />
        </div>
        <p class="actions">
          <a class="button" href={links.users()}>
            All users
          </a>
        </p>
      </div>
      {flash !== null && <FlashCard flash={flash} />}
      {made !== null && <MadePassword made={made} done={`${name} has another password.`} />}
      {own !== null && <OwnPermissionsCard links={links} name={name} {...own} />}
      <section>
        <h2>Tokens</h2>
        {tokens.length === 0 ? (
          <p>None.</p>
        ) : (
          <TokensTable action={links.user(name, sourceIn(source))} tokens={tokens} now={now} />
        )}
      </section>
      <Actions {...props} />
    </PageLayout>
  )
}

function Facts({ user, now }: UserViewProps) {
  const { source, disabled, administrator, roles, lastUsed } = user
  return (
    <p class="muted">
      {[
        SOURCES[source],
        ...(disabled ? ['disabled'] : []),
        administrator ? 'administrator' : 'no administrator',
        roles.length === 0 ? 'no roles' : `roles: ${roles.join(', ')}`,
      ].join(' · ')}
      {lastUsed !== null && (
        <>
          {' · last seen '}
          <When time={lastUsed} now={now} />
        </>
      )}
    </p>
  )
}

function Actions({ frame, user: { name, source, disabled } }: UserViewProps) {
  const action = frame.links.user(name, sourceIn(source))
  const isLocal = source === 'users-file'
  return (
    <>
      {isLocal && (
        <form class="card new-token" method="post" action={action}>
          <h2>New password</h2>
          <p>It ends the sessions of the user. Tokens stay.</p>
          <PasswordFields />
          <p class="actions">
            <button name="action" value="password">
              Set the password
            </button>
          </p>
        </form>
      )}
      {!isSameName(name, frame.username) && (
        <form class="card" method="post" action={action}>
          <h2>{disabled ? 'Enable or remove' : 'Disable or remove'}</h2>
          <p>
            Who is disabled cannot log in, and tokens are no good until the user is enabled. Who is
            removed loses them for good
            {isLocal ? '.' : `, and can log in again: ${SOURCES[source]} decides that.`}
          </p>
          <p class="actions">
            {disabled ? (
              <button name="action" value="enable">
                Enable
              </button>
            ) : (
              <button name="action" value="disable">
                Disable
              </button>
            )}
            <button class="danger" name="action" value="delete">
              Remove
            </button>
          </p>
        </form>
      )}
    </>
  )
}
