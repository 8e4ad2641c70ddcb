import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { LinkButton } from '../kit/buttons.tsx'
import { Field } from '../kit/forms.tsx'
import { type KeptForm, keptName } from '../frame/kept-form.ts'

/** Carries a kept form through the form of the log-in. */
export function CarriedForm({ kept: { to, fields } }: { kept: KeptForm }) {
  return (
    <>
      <input type="hidden" name="to" value={to} />
      {fields.map(([name, value]) => (
        <input type="hidden" name={keptName(name)} value={value} />
      ))}
    </>
  )
}

/** A longer text gets more than one line. */
const ONE_LINE = 100

/** The form typed before the log-in. Nothing sends it again but the person. */
export function SendAgainView({ frame, kept }: { frame: PageFrame; kept: KeptForm }) {
  const { to, fields } = kept
  return (
    <PageLayout frame={frame} title="Send it again?" styles={['login.css']}>
      <form class="card fields kept" method="post" action={to} enctype="multipart/form-data">
        <h1>Send it again?</h1>
        <p>
          You were no longer logged in, so nothing was done. This is the form you sent to{' '}
          <code>{to}</code>, without passwords.
        </p>
        {fields.map(([name, value]) =>
          value.length > ONE_LINE || value.includes('\n') ? (
            <label class="field">
              {name}
              <textarea name={name} rows={12}>
                {`\n${value}`}
              </textarea>
            </label>
          ) : (
            <Field label={name} name={name} value={value} autocomplete="off" />
          ),
        )}
        <p class="actions">
          <button class="primary">Send again</button>
          <LinkButton href={frame.links.root()} label="Discard" />
        </p>
      </form>
    </PageLayout>
  )
}
