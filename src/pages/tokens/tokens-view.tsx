import type { TokenScope } from '../../core/principal.ts'
import type { TokenRecord } from '../../identities/issued-record.ts'
import { isExpired } from '../../identities/tokens.ts'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { FlashCard, ShownOnce } from '../kit/notice.tsx'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { ActionForm, Field, ProblemAtField, SelectField } from '../kit/forms.tsx'
import { DateField, InUtc } from '../kit/date-field.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'
import type { FieldProblems } from '../runs/refusal.ts'

/** A token as it is shown once. */
export interface ShownToken {
  readonly name: string
  readonly token: string
}

/** A new token as it was typed. */
interface TypedToken {
  readonly name: string
  readonly scope: string
  readonly expires: number | null
}

export interface TokensViewProps extends OpenPageWithMessage {
  readonly tokens: readonly TokenRecord[]
  /** The token that was made by this request. */
  readonly made: ShownToken | null
  /** The fields of a new token that was refused. */
  readonly typed: TypedToken
  /** Why they were refused. */
  readonly problems: FieldProblems
}

const SCOPES: readonly (readonly [TokenScope, string])[] = [
  ['read', 'read: view what you can view, and clone'],
  ['propose', 'propose: also propose changes for approval'],
  ['operate', 'operate: also operate pipelines, stages and agents'],
  ['admin', 'admin: everything that you can do'],
]

/** The caller's tokens, a form for another one, and the end of all sessions. */
export function TokensView(props: TokensViewProps) {
  const { frame, flash, tokens, made, typed, problems, now } = props
  const { links } = frame
  return (
    <PageLayout
      frame={frame}
      title="My tokens"
      description="Tokens that scripts use instead of a password."
    >
      <PageHead
        title="My tokens"
        about="Use a token instead of your password in scripts, as a Bearer token or as the Basic password. It never has more rights than you."
        actions={<LinkButton href={links.account()} label="My account" />}
      />
      {flash !== null && <FlashCard flash={flash} />}
      {made !== null && (
        <ShownOnce
          done={`Token ${made.name} created.`}
          about="Copy it now: it is not shown again."
          secret={made.token}
        />
      )}
      {tokens.length > 0 && <TokensTable action={links.tokens()} tokens={tokens} now={now} />}
      <NewToken links={links} typed={typed} problems={problems} />
      <LogOutEverywhere links={links} />
    </PageLayout>
  )
}

export interface TokensTableProps {
  /** The address that revokes a token. */
  readonly action: string
  readonly tokens: readonly TokenRecord[]
  readonly now: number
}

const COLUMNS = [
  { label: 'Name', isHead: true, isPlain: true },
  'Scope',
  'Last used',
  'Expires',
  'ID',
  { label: 'Revoke', isPlain: true },
]

/** Tokens, each with its revocation. */
export function TokensTable({ action, tokens, now }: TokensTableProps) {
  const rows = tokens.map((token) => {
    const { id, name, scope, lastUsed, expires } = token
    return {
      cells: [
        name,
        scope,
        lastUsed === null ? 'Never' : <When time={lastUsed} now={now} />,
        <>
          {expires === null ? 'Never' : <When time={expires} now={now} />}
          {isExpired(token, now) && ' (expired)'}
        </>,
        <code>{id}</code>,
        <Revoke action={action} field="token" id={id} name={name} />,
      ],
    }
  })
  return (
    <Table
      label="Tokens"
      columns={COLUMNS}
      rows={rows}
      empty="No tokens yet. A token lets a script or a build log in without a password."
    />
  )
}

interface RevokeProps {
  readonly action: string
  readonly field: 'token' | 'invitation'
  readonly id: string
  readonly name: string
}

/** Revokes a token or an invitation. */
export function Revoke({ action, field, id, name }: RevokeProps) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name={field} value={id} />
      <ActionButton value="revoke" label="Revoke" hint={`Revoke ${name}`} look="danger" />
    </form>
  )
}

interface NewTokenProps {
  readonly links: Links
  readonly typed: TypedToken
  readonly problems: FieldProblems
}

function NewToken({ links, typed: { name, scope, expires }, problems }: NewTokenProps) {
  return (
    <ActionForm
      action={links.tokens()}
      title="New token"
      buttons={<ActionButton value="create" label="Create token" look="primary" />}
    >
      <Field
        label="Name"
        name="name"
        value={name}
        maxlength={100}
        required
        problem={problems.get('name')}
      />
      <SelectField label="Scope" name="scope" options={SCOPES} chosen={scope} />
      <label class="field">
        <span>
          Expires on (optional) <InUtc />
        </span>
        <DateField name="expires" at="end" time={expires} problem={problems.get('expires')} />
        <ProblemAtField name="expires" problem={problems.get('expires')} />
      </label>
    </ActionForm>
  )
}

/** The end of all sessions of the caller. */
export function LogOutEverywhere({ links }: { links: Links }) {
  return (
    <ActionForm
      action={links.tokens()}
      title="Sessions"
      about="You will be logged out everywhere, including here. Tokens keep working."
      buttons={<ActionButton value="log-out-everywhere" label="Log out everywhere" />}
    />
  )
}
