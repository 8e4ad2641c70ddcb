import type { ListedUser, NewCredentials } from '../../identities/administer-users.ts'
import type { UserSource } from '../../core/principal.ts'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import { Avatar } from '../kit/icon.tsx'
import type { Links } from '../kit/links.ts'
import { FlashCard } from '../kit/notice.tsx'
import { countOf } from '../kit/words/count.ts'
import { ActionForm, Field, FilterForm } from '../kit/forms.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Pager } from '../kit/pager.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'
import type { FieldProblems } from '../runs/refusal.ts'
import { MadePassword, PasswordFields } from './password-fields.tsx'

export interface UsersViewProps extends OpenPageWithMessage {
  readonly users: readonly ListedUser[]
  readonly offset: number
  readonly matching: number
  readonly total: number
  readonly filter: string
  /** The user who was just added, or null. */
  readonly made: NewCredentials | null
  /** The name that was typed for a user who was refused. */
  readonly name: string
  /** Why its fields were refused. */
  readonly problems: FieldProblems
}

/** Users on a page. */
export const USER_ROWS = 100

export const SOURCES: Readonly<Record<UserSource, string>> = {
  'users-file': 'This service',
  ldap: 'LDAP',
  oidc: 'OpenID Connect',
}

/** The part of an address that tells a user of another source from a local one of the same name. */
export function sourceIn(source: UserSource): { readonly source?: UserSource } {
  return source === 'users-file' ? {} : { source }
}

/** The users who can log in, and a form for another one. */
export function UsersView(props: UsersViewProps) {
  const { frame, flash, users, offset, matching, filter, made, now } = props
  const { links } = frame
  return (
    <PageLayout
      frame={frame}
      title="Users"
      description="Who can log in, and who administers the server."
    >
      <Head {...props} />
      {flash !== null && <FlashCard flash={flash} />}
      {made !== null && <MadePassword made={made} done={`User ${made.name} added.`} />}
      <UsersTable links={links} users={users} now={now} />
      <Pager
        pagination={{ offset, total: matching, pageSize: USER_ROWS }}
        to={(start) => links.users({ q: filter, offset: start || null })}
      />
      <NewUser {...props} />
    </PageLayout>
  )
}

function Head({ frame: { links }, total, filter }: UsersViewProps) {
  const about = (
    <>
      {`${countOf(total, 'user')}. Their roles and rights are in the configuration: `}
      <a href={links.permissions()}>Permissions</a>
    </>
  )
  return (
    <PageHead title="Users" about={about}>
      <FilterForm
        action={links.users()}
        label="Users"
        value={filter}
        placeholder="Name"
        hint="Filter users by name"
      />
    </PageHead>
  )
}

const COLUMNS = [
  { label: 'Name', isHead: true, isPlain: true },
  'From',
  'Roles',
  'Administrator',
  'Tokens',
  'Last seen',
]

interface UsersTableProps {
  readonly links: Links
  readonly users: readonly ListedUser[]
  readonly now: number
}

function UsersTable({ links, users, now }: UsersTableProps) {
  const rows = users.map((user) => {
    const { name, source, disabled, roles, administrator, tokens, lastUsed } = user
    return {
      cells: [
        <span class="who">
          <Avatar name={name} />
          <a href={links.user(name, sourceIn(source))}>{name}</a>
          {disabled && ' (disabled)'}
        </span>,
        SOURCES[source],
        roles.join(', ') || <span class="muted">None</span>,
        administrator ? 'Yes' : 'No',
        tokens,
        lastUsed === null ? (
          <span class="muted">No session or token</span>
        ) : (
          <When time={lastUsed} now={now} />
        ),
      ],
    }
  })
  return <Table label="Users" columns={COLUMNS} rows={rows} empty="No users match." />
}

function NewUser({ frame: { links }, name, problems }: UsersViewProps) {
  return (
    <ActionForm
      action={links.users()}
      title="New user"
      buttons={<button class="primary">Add user</button>}
    >
      <Field
        label="Name"
        name="name"
        value={name}
        maxlength={255}
        autocomplete="off"
        required
        problem={problems.get('name')}
      />
      <PasswordFields problems={problems} />
    </ActionForm>
  )
}
