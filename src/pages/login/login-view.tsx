import { type PageFrame, PageLayout } from '../frame/layout.tsx'

export interface LoginViewProps {
  readonly frame: PageFrame
  /** Where a login leads. */
  readonly next: string
  readonly username: string
  /** Why the last attempt was refused. */
  readonly problem: string | null
  /** Another way in; null for none. */
  readonly provider: { readonly name: string; readonly address: string } | null
}

/** The form of a log-in. */
export function LoginView({ frame, next, username, problem, provider }: LoginViewProps) {
  return (
    <PageLayout frame={frame} title="Log in" styles={['login.css']}>
      <form class="card login" method="post" action={frame.links.login()}>
        <h1>Log in</h1>
        {problem !== null && (
          <p class="login-problem" role="alert">
            {problem}
          </p>
        )}
        <label>
          Name
          <input
            type="text"
            name="username"
            value={username}
            autocomplete="username"
            autocapitalize="none"
            required
            autofocus
          />
        </label>
        <label>
          Password
          <input type="password" name="password" autocomplete="current-password" required />
        </label>
        <input type="hidden" name="next" value={next} />
        <p class="actions">
          <button class="button primary">Log in</button>
        </p>
        {provider !== null && (
          <p class="actions">
            <a class="button" href={provider.address}>
              Log in with {provider.name}
            </a>
          </p>
        )}
      </form>
    </PageLayout>
  )
}

/** Asks whoever follows a link to log out, so that a link alone ends no session. */
export function LogOutView({ frame }: { frame: PageFrame }) {
  return (
    <PageLayout frame={frame} title="Log out">
      <form class="card" method="post" action={frame.links.logOut()}>
        <h1>Log out?</h1>
        <p class="actions">
          <button class="button primary">Log out</button>
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
        <p>This browser no longer sends your name and password.</p>
        <p>
          <a href={frame.links.root()}>Log in again</a>
        </p>
      </div>
    </PageLayout>
  )
}
