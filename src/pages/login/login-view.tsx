import { LinkButton } from '../kit/buttons.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { Field } from '../kit/forms.tsx'
import type { FlashMessage } from '../kit/notice.tsx'
import type { KeptForm } from '../frame/kept-form.ts'
import { CarriedForm } from './kept-view.tsx'

export interface LoginViewProps {
  readonly frame: PageFrame
  /** Where a login leads. */
  readonly next: string
  readonly username: string
  /** The message of the log-out that led here. */
  readonly flash: FlashMessage | null
  /** Why the last attempt was refused. */
  readonly problem: string | null
  /** Another way in; null for none. */
  readonly provider: { readonly name: string; readonly address: string } | null
  /** A form that was sent without a session; `lost` where it cannot be kept, null for none. */
  readonly kept: KeptForm | 'lost' | null
}

/** The form of a log-in. */
export function LoginView(props: LoginViewProps) {
  const { frame, next, username, flash, problem, provider, kept } = props
  return (
    <PageLayout frame={frame} title="Log in" styles={['login.css']}>
      <form
        class="card fields login"
        method="post"
        // Without an action, the line that the address names stays in it.
        action={kept === null ? undefined : frame.links.login()}
        enctype={kept === null ? undefined : 'multipart/form-data'}
      >
        <h1>Log in</h1>
        {flash && <p role="status">{flash.text}</p>}
        <SentWithoutSession kept={kept} />
        {problem !== null && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <Field
          label="User name"
          name="username"
          value={username}
          autocomplete="username"
          autocapitalize="none"
          required
          autofocus
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autocomplete="current-password"
          required
        />
        <input type="hidden" name="next" value={next} />
        <p class="actions">
          <button class="button primary">Log in</button>
        </p>
        {provider !== null && <Provider provider={provider} isForTab={kept !== null} />}
      </form>
    </PageLayout>
  )
}

function SentWithoutSession({ kept }: Pick<LoginViewProps, 'kept'>) {
  if (kept === null) return <></>
  if (kept === 'lost') {
    return (
      <p role="status">
        You are no longer logged in, so nothing was done. The form you sent is too large to keep
        here: log in in another tab, then go back and send it again.
      </p>
    )
  }
  return (
    <>
      <p role="status">
        You are no longer logged in, so nothing was done. Log in, and you can send the form again.
      </p>
      <CarriedForm kept={kept} />
    </>
  )
}

/** A form that was typed stays in this tab: the provider opens in another one then. */
function Provider({
  provider: { name, address },
  isForTab,
}: {
  provider: NonNullable<LoginViewProps['provider']>
  isForTab: boolean
}) {
  return (
    <p class="actions">
      <a class="button" href={address} target={isForTab ? '_blank' : undefined}>
        Log in with {name}
      </a>
      {isForTab && (
        <button name="step" value="continue" formnovalidate>
          I have logged in
        </button>
      )}
    </p>
  )
}

/** Asks before a log-out, so that a link alone ends no session. */
export function LogOutView({ frame }: { frame: PageFrame }) {
  return (
    <PageLayout frame={frame} title="Log out" styles={['login.css']}>
      <form class="card fields login" method="post" action={frame.links.logOut()}>
        <h1>Log out?</h1>
        <p class="actions">
          <button class="button primary">Log out</button>
          <LinkButton href={frame.links.root()} label="Cancel" />
        </p>
      </form>
    </PageLayout>
  )
}

/** After the credentials of Basic were taken from the browser. */
export function LoggedOutView({ frame }: { frame: PageFrame }) {
  return (
    <PageLayout frame={frame} title="Logged out">
      <div class="card error">
        <h1>You are logged out</h1>
        <p>This browser no longer sends your user name and password.</p>
        <p>
          <a href={frame.links.root()}>Log in again</a>
        </p>
      </div>
    </PageLayout>
  )
}
