import type { NewCredentials } from '../../identities/administer-users.ts'

/** A new password, twice; empty for one that is made. */
export function PasswordFields() {
  return (
    <>
      <label>
        Password, 8 to 72 bytes (empty: one is made and shown once)
        <input type="password" name="password" autocomplete="new-password" />
      </label>
      <label>
        The same again
        <input type="password" name="again" autocomplete="new-password" />
      </label>
    </>
  )
}

/** What was done, with the password that was made. */
export function MadePassword({ made, done }: { made: NewCredentials; done: string }) {
  return (
    <div class="card flash done" role="status">
      <p>
        <strong>{done}</strong>
        {made.password !== null && ' Copy the password now: it is not shown again.'}
      </p>
      {made.password !== null && (
        <pre class="code" tabindex={0}>
          {made.password}
        </pre>
      )}
    </div>
  )
}
