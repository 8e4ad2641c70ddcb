import type { TokenScope } from '../../core/principal.ts'
import type { TokenRecord } from '../../identities/issued-record.ts'
import { isExpired } from '../../identities/tokens.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { When } from '../kit/when.tsx'

/** A token as it is shown once. */
export interface ShownToken {
  readonly name: string
  readonly token: string
}

export interface TokensViewProps {
  readonly frame: PageFrame
  readonly flash: FlashMessage | null
  readonly tokens: readonly TokenRecord[]
  /** The token that was made by this request. */
  readonly made: ShownToken | null
  readonly now: number
}

const SCOPES: Readonly<Record<TokenScope, string>> = {
  read: 'read: look at everything that you may view, and clone',
  operate: 'operate: builds, stages and agents too',
  admin: 'admin: everything that you may do',
}

/** The caller's tokens, a form for another one, and the end of all sessions. */
export function TokensView({ frame, flash, tokens, made, now }: TokensViewProps) {
  const { links } = frame
  return (
    <PageLayout
      frame={frame}
      title="My tokens"
      description="What programs log in with instead of a password."
      styles={['my-tokens.css']}
    >
      <div class="page-head">
        <div>
          <h1>My tokens</h1>
          <p class="muted">
            A program logs in with a token instead of your password: as Bearer, or as the password
            beside your name. It may never do more than you may.
          </p>
        </div>
        <p class="actions">
          <a class="button" href={links.account()}>
            My account
          </a>
        </p>
      </div>
      {flash !== null && <FlashCard flash={flash} />}
      {made !== null && <MadeToken made={made} />}
      {tokens.length > 0 && <TokensTable action={links.tokens()} tokens={tokens} now={now} />}
      <NewToken links={links} />
      <LogOutEverywhere links={links} />
    </PageLayout>
  )
}

function MadeToken({ made: { name, token } }: { made: ShownToken }) {
  return (
    <div class="card flash done" role="status">
      <p>
        <strong>{`Token ${name} is made.`}</strong> Copy it now: it is not shown again.
      </p>
      <pre class="code" tabindex={0}>
        {token}
      </pre>
    </div>
  )
}

export interface TokensTableProps {
  /** Where a token is revoked. */
  readonly action: string
  readonly tokens: readonly TokenRecord[]
  readonly now: number
}

/** Tokens, each with its revocation. */
export function TokensTable({ action, tokens, now }: TokensTableProps) {
  return (
    <div class="card scroll" tabindex={0} role="region" aria-label="Tokens">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Scope</th>
            <th scope="col">Last used</th>
            <th scope="col">Ends</th>
            <th scope="col">Id in logs</th>
            <th scope="col">Revoke</th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <Row action={action} token={token} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ action, token, now }: { action: string; token: TokenRecord; now: number }) {
  const { id, name, scope, lastUsed, expires } = token
  return (
    <tr>
      <td class="token-name">{name}</td>
      <td>{scope}</td>
      <td>{lastUsed === null ? 'Never' : <When time={lastUsed} now={now} />}</td>
      <td>
        {expires === null ? 'When revoked' : <When time={expires} now={now} />}
        {isExpired(token, now) && ' (expired)'}
      </td>
      <td>
        <code>{id}</code>
      </td>
      <td>
        <form method="post" action={action}>
          <input type="hidden" name="token" value={id} />
          <button class="danger" name="action" value="revoke" aria-label={`Revoke ${name}`}>
            Revoke
          </button>
        </form>
      </td>
    </tr>
  )
}

function NewToken({ links }: { links: Links }) {
  return (
    <form class="card new-token" method="post" action={links.tokens()}>
      <h2>New token</h2>
      <label>
        Name
        <input type="text" name="name" maxlength={100} required />
      </label>
      <label>
        Scope
        <select name="scope">
          {Object.entries(SCOPES).map(([scope, label]) => (
            <option value={scope}>{label}</option>
          ))}
        </select>
      </label>
      <label>
        Last day, in UTC (empty: until it is revoked)
        <input type="date" name="expires" />
      </label>
      <p class="actions">
        <button class="primary" name="action" value="create">
          Make a token
        </button>
      </p>
    </form>
  )
}

/** The end of all sessions of the caller. */
export function LogOutEverywhere({ links }: { links: Links }) {
  return (
    <form class="card" method="post" action={links.tokens()}>
      <h2>Sessions</h2>
      <p>Ends your sessions in every browser, this one included. Tokens stay.</p>
      <p class="actions">
        <button name="action" value="log-out-everywhere">
          Log out everywhere
        </button>
      </p>
    </form>
  )
}
