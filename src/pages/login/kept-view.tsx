import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { type KeptForm, keptName } from './kept-form.ts'

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

/** After the log-in: what was typed before, which only the person sends again. */
export function SendAgainView({ frame, kept }: { frame: PageFrame; kept: KeptForm }) {
  const { to, fields } = kept
  return (
    <PageLayout frame={frame} title="Send it again?" styles={['login.css']}>
      <form class="card kept" method="post" action={to} enctype="multipart/form-data">
        <h1>Send it again?</h1>
        <p>
          You were not logged in any more, and nothing was done. This is what you sent to{' '}
          <code>{to}</code>; passwords are not kept.
        </p>
        {fields.map(([name, value]) => (
          <label>
            {name}
            {value.length > ONE_LINE || value.includes('\n') ? (
              <textarea name={name} rows={12}>
                {`\n${value}`}
              </textarea>
            ) : (
              <input type="text" name={name} value={value} autocomplete="off" />
            )}
          </label>
        ))}
        <p class="actions">
          <button class="primary">Send again</button>
          <a class="button" href={frame.links.root()}>
            Leave it
          </a>
        </p>
      </form>
    </PageLayout>
  )
}
