import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import type { MailWishes } from '../../core/service/mail-wishes.ts'
import { type OpenPageWithMessage, type PageFrame, PageLayout } from '../kit/layout.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { LinkButton } from '../kit/buttons.tsx'
import { ActionForm, Field } from '../kit/forms.tsx'
import { PageHead } from '../kit/page-head.tsx'
import type { FieldProblems } from '../runs/refusal.ts'
import { AdministeredParts } from '../parts/administered-parts.tsx'
import { LogOutEverywhere } from '../tokens/tokens-view.tsx'
import { MailForm } from './mail-form.tsx'
import { RepeatedPassword } from './password-fields.tsx'

export interface AccountViewProps extends OpenPageWithMessage {
  readonly administers: readonly EntityPlace[]
  /** Whether the caller's password is stored here. */
  readonly hasPassword: boolean
  readonly wishes: MailWishes
  /** Whether the configuration names a mail server. */
  readonly sendsMail: boolean
  /** The days without a login after which nothing is sent; null for users of this service. */
  readonly pausedAfterDays: number | null
  /** Why the fields of a form were refused. */
  readonly problems: FieldProblems
}

/** The caller's own password, sessions, and news by mail. */
export function AccountView(props: AccountViewProps) {
  const { frame, flash, administers, hasPassword, problems, ...mail } = props
  const { links, username } = frame
  return (
    <PageLayout
      frame={frame}
      title="My account"
      description="Your password, your sessions, and news by mail."
    >
      <PageHead
        title="My account"
        about={`Logged in as ${username}.`}
        actions={<LinkButton href={links.tokens()} label="My tokens" />}
      />
      {flash !== null && <FlashCard flash={flash} />}
      <AdministeredCard frame={frame} administers={administers} />
      {hasPassword ? (
        <NewOwnPassword action={links.account()} problems={problems} />
      ) : (
        <p class="card">Your password is stored elsewhere. Change it there.</p>
      )}
      <MailForm action={links.mailSubscription()} problems={problems} {...mail} />
      <LogOutEverywhere links={links} />
    </PageLayout>
  )
}

/** The groups and templates that the caller administers, each with the way to it. */
function AdministeredCard({ frame, administers }: AdministeredCardProps) {
  return (
    <section class="card">
      <h2>What I administer</h2>
      {frame.isAdministrator ? (
        <p>The whole server.</p>
      ) : administers.length === 0 ? (
        <p>No groups or templates. An administrator can give you permissions.</p>
      ) : (
        <AdministeredParts links={frame.links} parts={administers} />
      )}
    </section>
  )
}

interface AdministeredCardProps {
  readonly frame: PageFrame
  readonly administers: readonly EntityPlace[]
}

function NewOwnPassword({ action, problems }: { action: string; problems: FieldProblems }) {
  return (
    <ActionForm
      action={action}
      title="New password"
      about="You will be logged out everywhere, including here. Tokens keep working."
      buttons={<button class="primary">Change password</button>}
    >
      <Field
        label="Old password"
        type="password"
        name="old"
        autocomplete="current-password"
        required
        problem={problems.get('old')}
      />
      <Field
        label="New password (at least 8 characters)"
        type="password"
        name="password"
        autocomplete="new-password"
        required
        problem={problems.get('password')}
      />
      <RepeatedPassword problems={problems} isRequired />
    </ActionForm>
  )
}
