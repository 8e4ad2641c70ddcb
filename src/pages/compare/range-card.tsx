import { ChangeWords } from '../parts/change-words.tsx'
import { TagBadges } from '../parts/revision-tags.tsx'
import { LinkButton } from '../kit/buttons.tsx'
import { moreOf } from '../kit/lists.tsx'
import { Moment } from '../kit/when.tsx'
import { Who } from '../parts/who.tsx'
import type { CompareViewProps } from './compare-view.tsx'

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
        {`git diff ${range} -- ${quoted(fileName)}\n`}
        {`curl -u ${quoted(frame.username)} ${quoted(address)}`}
      </pre>
    </details>
  )
}

/** Quotes a word for a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
