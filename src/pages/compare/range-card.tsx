import { shellWord } from '../../core/service/command-words.ts'
import { ChangeWords } from '../parts/change-words.tsx'
import { TagBadges } from '../parts/revision-tags.tsx'
import { LinkButton } from '../kit/buttons.tsx'
import { moreOf } from '../kit/lists.tsx'
import { Moment } from '../kit/when.tsx'
import { Who } from '../parts/who.tsx'
import type { CompareViewProps } from './compare-view.tsx'
import { DateRange } from '../kit/date-field.tsx'
import type { Links } from '../kit/links.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'

/** The revisions of a comparison, with their authors, and the same comparison as commands. */
export function RangeCard(props: CompareViewProps) {
  const { frame, comparison, hasTags } = props
  const { between, count } = comparison
  const { links } = frame
  return (
    <section class="card">
      <h2>Revisions in this range</h2>
      <ul class="range">
        {between.map((revision) => (
          <li class="row">
            <a href={links.change(revision)}>{`r${revision.number}`}</a>
            {hasTags && <TagBadges revision={revision} />} <Who revision={revision} />{' '}
            <span class="muted">
              <Moment time={revision.time} />
            </span>
            <ChangeWords revision={revision} links={links} />
          </li>
        ))}
      </ul>
      {count > between.length && <Others {...props} />}
      <CompareCommands {...props} />
    </section>
  )
}

/** The list of all, from the oldest one that is named here. */
function Others({ frame: { links }, comparison }: CompareViewProps) {
  const { between, count, before, after } = comparison
  const oldest = between.at(-1)
  const until = oldest ? new Date(oldest.time).toISOString() : null
  const href = links.history({ until, a: `r${before.number}`, b: `r${after.number}` })
  return (
    <p>
      <LinkButton href={href} label={moreOf(count - between.length)} />
    </p>
  )
}

/** The same comparison as commands. */
export function CompareCommands({ frame, comparison, fileName, origin }: CompareViewProps) {
  const { before, after } = comparison
  const address = `${origin}${frame.links.diff(before.commit, after.commit)}`
  const range = `${before.commit.slice(0, 12)} ${after.commit.slice(0, 12)}`
  return (
    <details>
      <summary>Command line</summary>
      <pre tabindex={0}>
        {`git diff ${range} -- ${shellWord(fileName)}\n`}
        {`curl -u ${shellWord(frame.username)} ${shellWord(address)}`}
      </pre>
    </details>
  )
}

interface ChooserProps {
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
