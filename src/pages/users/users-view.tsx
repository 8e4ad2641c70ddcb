import type { ListedUser, NewCredentials } from '../../identities/administer-users.ts'
import type { UserSource } from '../../core/principal.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { BY_PLACE, Pager } from '../kit/pager.tsx'
import { When } from '../kit/when.tsx'
import { MadePassword, PasswordFields } from './password-fields.tsx'

export interface UsersViewProps {
  readonly frame: PageFrame
  readonly flash: FlashMessage | null
  readonly users: readonly ListedUser[]
  readonly offset: number
  readonly matching: number
  readonly total: number
  readonly filter: string
  /** The user who was just added, or null. */
  readonly made: NewCredentials | null
  /** The name that was typed for a user who was refused. */
  readonly name: string
  readonly now: number
}

/** How many users a page lists. */
export const USER_ROWS = 100

export const SOURCES: Readonly<Record<UserSource, string>> = {
  'users-file': 'Users file',
  ldap: 'LDAP',
  oidc: 'OpenID Connect',
}

/** What names a user of elsewhere in an address, where another one may have the name. */
export function sourceIn(source: UserSource): { readonly source?: UserSource } {
  return source === 'users-file' ? {} : { source }
}

/** Everybody who can log in, and a form for another user. */
export function UsersView(props: UsersViewProps) {
  const { frame, flash, users, offset, matching, filter, made, now } = props
  const { links } = frame
  return (
    <PageLayout
      frame={frame}
      title="Users"
      description="Who can log in, and who administers the server."
      styles={['my-tokens.css']}
    >
      <Head {...props} />
      {flash !== null && <FlashCard flash={flash} />}
      {made !== null && <MadePassword made={made} done={`User ${made.name} is added.`} />}
      {users.length > 0 ? (
        <Table links={links} users={users} now={now} />
      ) : (
        <p class="card">No users match.</p>
      )}
      <Pager
        pagination={{ offset, total: matching, pageSize: USER_ROWS }}
        shown={users.length}
        labels={BY_PLACE}
        to={(start) => links.users({ q: filter, offset: start || null })}
      />
      <NewUser {...props} />
    </PageLayout>
  )
}

function Head({ frame: { links }, total, filter }: UsersViewProps) {
  return (
    <div class="page-head">
      <div>
        <h1>Users</h1>
        <p class="muted">
          {`${total} ${total === 1 ? 'user' : 'users'}. Their roles and rights are in the configuration: `}
          <a href={links.permissions()}>who may do what</a>
          {'.'}
        </p>
      </div>
      <form class="actions" role="search" aria-label="Users" action={links.users()}>
        <input
          type="search"
          name="q"
          class="filter-text"
          value={filter}
          aria-label="Filter users by name"
        />
        <button>Filter</button>
      </form>
    </div>
  )
}

function Table({ links, users, now }: { links: Links; users: readonly ListedUser[]; now: number }) {
  return (
    <div class="card scroll" tabindex={0} role="region" aria-label="Users">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">From</th>
            <th scope="col">Roles</th>
            <th scope="col">Administrator</th>
            <th scope="col">Tokens</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {users.map(({ name, source, disabled, roles, administrator, tokens, lastUsed }) => (
            <tr>
              <td class="token-name">
                <a href={links.user(name, sourceIn(source))}>{name}</a>
                {disabled && ' (disabled)'}
              </td>
              <td>{SOURCES[source]}</td>
              <td>{roles.join(', ') || 'None'}</td>
              <td>{administrator ? 'Yes' : 'No'}</td>
              <td>{tokens}</td>
              <td>{lastUsed === null ? 'Not known' : <When time={lastUsed} now={now} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NewUser({ frame: { links }, name }: UsersViewProps) {
  return (
    <form class="card new-token" method="post" action={links.users()}>
      <h2>New user</h2>
      <label>
        Name
        <input type="text" name="name" value={name} maxlength={255} autocomplete="off" required />
      </label>
      <PasswordFields />
      <p class="actions">
        <button class="primary">Add the user</button>
      </p>
    </form>
  )
}
