import type { ListedUser, NewCredentials } from '../../identities/administer-users.ts'
import type { TokenRecord } from '../../identities/issued-record.ts'
import { isSameName } from '../../core/name-key.ts'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { ActionForm } from '../kit/forms.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { When } from '../kit/when.tsx'
import { OwnPermissionsCard } from '../permissions/own-permissions.tsx'
import { RolesCard } from '../permissions/roles-card.tsx'
import type { OwnPermissions } from '../permissions/permissions-page.ts'
import { TokensTable } from '../tokens/tokens-view.tsx'
import { MadePassword, PasswordFields } from './password-fields.tsx'
import type { FieldProblems } from '../runs/refusal.ts'
import { sourceIn, SOURCES } from './users-view.tsx'

export interface UserViewProps extends OpenPageWithMessage {
  readonly user: ListedUser
  readonly tokens: readonly TokenRecord[]
  /** The permissions of the user; null for one who is disabled. */
  readonly own: OwnPermissions | null
  /** The password that was just given, or null. */
  readonly made: NewCredentials | null
  /** Why the fields of a new password were refused. */
  readonly problems: FieldProblems
}

/** One user: what is known, the tokens, and the actions of an administrator. */
export function UserView(props: UserViewProps) {
  const { frame, flash, user, tokens, own, made, problems, now } = props
  const { links } = frame
  const { name, source } = user
  const action = links.user(name, sourceIn(source))
  return (
    <PageLayout frame={frame} title={name} styles={['permissions.css']}>
      <PageHead
        title={name}
        about={<About {...props} />}
        actions={<LinkButton href={links.users()} label="All users" />}
      />
      {flash !== null && <FlashCard flash={flash} />}
      {made !== null && <MadePassword made={made} done={`New password set for ${name}.`} />}
      {own !== null && <RolesCard links={links} name={name} permissions={own.permissions} />}
      {own !== null && <OwnPermissionsCard links={links} name={name} {...own} />}
      <section>
        <h2>Tokens</h2>
        <TokensTable action={action} tokens={tokens} now={now} />
      </section>
      {source === 'users-file' && <NewPassword action={action} problems={problems} />}
      {!isSameName(name, frame.username) && <Ending {...props} action={action} />}
    </PageLayout>
  )
}

function About({ user, now }: UserViewProps) {
  const { source, disabled, administrator, roles, lastUsed } = user
  return (
    <>
      {[
        SOURCES[source],
        ...(disabled ? ['disabled'] : []),
        administrator ? 'administrator' : 'not an administrator',
        roles.length === 0 ? 'no roles' : `roles: ${roles.join(', ')}`,
      ].join(' · ')}
      {lastUsed !== null && (
        <>
          {' · last seen '}
          <When time={lastUsed} now={now} />
        </>
      )}
    </>
  )
}

function NewPassword({ action, problems }: { action: string; problems: FieldProblems }) {
  return (
    <ActionForm
      action={action}
      title="New password"
      about="Ends the user's sessions. Tokens keep working."
      buttons={<ActionButton value="password" label="Set password" />}
    >
      <PasswordFields problems={problems} />
    </ActionForm>
  )
}

function Ending({ user: { source, disabled }, action }: UserViewProps & { action: string }) {
  const again =
    source === 'users-file' ? '' : ` ${SOURCES[source]} decides whether they can log in again.`
  return (
    <ActionForm
      action={action}
      title={disabled ? 'Enable or remove' : 'Disable or remove'}
      about={`A disabled user cannot log in or use tokens. Removing a user deletes their tokens.${again}`}
      buttons={
        <>
          <ActionButton
            value={disabled ? 'enable' : 'disable'}
            label={disabled ? 'Enable' : 'Disable'}
          />
          <ActionButton value="delete" label="Remove" look="danger" />
        </>
      }
    />
  )
}
