import { When, exactTime } from '../frame/when.tsx'
import { Who } from '../frame/who.tsx'
import type { CompareViewProps } from './compare-view.tsx'

/** Whose revisions these are, and how to see the same elsewhere. */
export function RangeCard(props: CompareViewProps) {
  const { chrome, comparison, now } = props
  const { between, count } = comparison
  const { links } = chrome
  return (
    <section class="card">
      <h2>Revisions in this range</h2>
      <ul class="range">
        {between.map((revision) => (
          <li>
            <a href={links.compare(`r${Math.max(1, revision.number - 1)}`, `r${revision.number}`)}>
              {`r${revision.number}`}
            </a>{' '}
            <Who revision={revision} />{' '}
            <span class="muted">
              {now === null ? (
                <time datetime={new Date(revision.time).toISOString()}>
                  {exactTime(revision.time)}
                </time>
              ) : (
                <When time={revision.time} now={now} />
              )}
            </span>
          </li>
        ))}
      </ul>
      {count > between.length && <p class="muted">{`and ${count - between.length} older ones`}</p>}
      <CommandLine {...props} />
    </section>
  )
}

function CommandLine({ chrome, comparison, fileName, origin }: CompareViewProps) {
  const { before, after } = comparison
  const address = `${origin}${chrome.links.diff(before.commit, after.commit)}`
  const range = `${before.commit.slice(0, 12)} ${after.commit.slice(0, 12)}`
  return (
    <details>
      <summary>Same thing on the command line</summary>
      <pre tabindex={0}>
        {`git diff ${range} -- ${quoted(fileName)}\n`}
        {`curl -u ${quoted(chrome.username)} ${quoted(address)}`}
      </pre>
    </details>
  )
}

/** A word as a shell takes it. */
function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
