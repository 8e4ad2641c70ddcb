import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { LogOutEverywhere } from '../tokens/tokens-view.tsx'

export interface AccountViewProps {
  readonly frame: PageFrame
  readonly flash: FlashMessage | null
  /** Whether the caller's password is kept here. */
  readonly hasPassword: boolean
}

/** The caller's own password and sessions. */
export function AccountView({ frame, flash, hasPassword }: AccountViewProps) {
  const { links, username } = frame
  return (
    <PageLayout
      frame={frame}
      title="My account"
      description="Your password and your sessions."
      styles={['my-tokens.css']}
    >
      <div class="page-head">
        <div>
          <h1>My account</h1>
          <p class="muted">{`You are ${username}.`}</p>
        </div>
        <p class="actions">
          <a class="button" href={links.tokens()}>
            My tokens
          </a>
        </p>
      </div>
      {flash !== null && <FlashCard flash={flash} />}
      {hasPassword ? (
        <form class="card new-token" method="post" action={links.account()}>
          <h2>New password</h2>
          <p>It ends your sessions in every browser, this one included. Tokens stay.</p>
          <label>
            Old password
            <input type="password" name="old" autocomplete="current-password" required />
          </label>
          <label>
            New password, 8 to 72 bytes
            <input type="password" name="password" autocomplete="new-password" required />
          </label>
          <label>
            The same again
            <input type="password" name="again" autocomplete="new-password" required />
          </label>
          <p class="actions">
            <button class="primary">Change the password</button>
          </p>
        </form>
      ) : (
        <p class="card">Your password is kept elsewhere, and is changed there.</p>
      )}
      <LogOutEverywhere links={links} />
    </PageLayout>
  )
}
