import { DateRange } from '../kit/date-field.tsx'
import type { Links } from '../kit/links.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'

export interface ChooserProps {
  readonly links: Links
  readonly before: NumberedRevision
  readonly after: NumberedRevision
}

/** Chooses other revisions to compare: by name, by date, or in the list, which keeps this choice. */
export function Chooser({ links, before, after }: ChooserProps) {
  const [a, b] = [`r${before.number}`, `r${after.number}`]
  const action = links.chooseComparison()
  return (
    <details class="chooser">
      <summary class="button">Change revisions</summary>
      <div class="card fields">
        <form class="row" action={action} aria-label="Revisions">
          <Side name="a" value={a} />
          <Side name="b" value={b} />
          <button class="primary">Compare</button>
          <p class="muted">
            A revision such as r7, a digest, a commit, or a time such as 2015-06-03 or
            2015-06-03T14:00 (UTC).
          </p>
        </form>
        <form class="row" action={action} aria-label="Dates">
          <DateRange label="Changes from" since={before.time} until={after.time} />
          <button name="by" value="dates">
            Compare dates
          </button>
        </form>
        <p>
          <a href={links.history({ a, b })}>Choose in the list of revisions</a>
        </p>
      </div>
    </details>
  )
}

function Side({ name, value }: { name: 'a' | 'b'; value: string }) {
  return (
    <label>
      <b>{name.toUpperCase()}</b>{' '}
      <input name={name} value={value} required size={14} autocomplete="off" spellcheck={false} />
    </label>
  )
}
