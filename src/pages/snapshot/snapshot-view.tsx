import { raw } from 'hono/html'
import { type SnapshotPage, WINDOW } from './snapshot-page.ts'
import type { RevealCount } from './reveal-secrets.ts'
import { type PageFrame, PageLayout } from '../frame/layout.tsx'
import { RevealButton, RevealedNotice } from './secrets.tsx'
import { exactTime, When } from '../frame/when.tsx'
import { Who } from '../frame/who.tsx'
import { listingHtml } from '../code/listing-html.ts'
import { OutlineView, pathAt } from './outline.tsx'
import { type SnapshotQueryText, snapshotQueryOf } from './snapshot-query.ts'

export interface SnapshotViewProps {
  readonly frame: PageFrame
  readonly page: SnapshotPage
  readonly query: SnapshotQueryText
  readonly now: number
  /** The count of decrypted secrets; null where secrets are hidden. */
  readonly reveal: RevealCount | null
}

/** A snapshot: its text, its outline, and the author of each line. */
export function SnapshotView(props: SnapshotViewProps) {
  const { frame, page, query, reveal } = props
  const { revision } = page
  const back = frame.links.snapshot(`r${revision.number}`, snapshotQueryOf(query))
  return (
    <PageLayout
      frame={frame}
      title={revision.isCurrent ? 'Current config' : `Configuration r${revision.number}`}
      section={revision.isCurrent ? 'current' : 'history'}
      wide
      styles={['code.css', 'snapshot.css']}
      scripts={['snapshot.js']}
    >
      <Head {...props} />
      {reveal && <RevealedNotice links={frame.links} count={reveal} back={back} />}
      <div class="snapshot">
        <OutlineView page={page} linkOf={(line) => addressOf(props, line)} />
        <section class="file" aria-label="Configuration XML">
          <FileBar {...props} />
          <Found {...props} />
          <Windows {...props} />
          <Listing {...props} />
          <Windows {...props} />
        </section>
      </div>
    </PageLayout>
  )
}

/** The address of this page at a line, in the window that contains it. */
function addressOf({ frame, page, query }: SnapshotViewProps, line: number): string {
  if (line >= page.first && line <= page.last) return `#L${line}`
  const address = frame.links.snapshot(
    `r${page.revision.number}`,
    snapshotQueryOf({ ...query, line }),
  )
  return `${address}#L${line}`
}

function Head({ frame: { links }, page, now }: SnapshotViewProps) {
  const { revision, previous, next, current } = page
  const name = `r${revision.number}`
  return (
    <div class="page-head">
      <div>
        <h1>
          {`Configuration ${name}`} {revision.isCurrent && <span class="badge added">current</span>}
        </h1>
        <p class="muted facts">
          <code title={revision.digest}>{revision.digest.slice(0, 8)}</code>
          <Who revision={revision} />
          <span>
            In effect from <When time={revision.time} now={now} />
            {next !== null && (
              <>
                {' to '}
                <time datetime={new Date(next.time).toISOString()}>{exactTime(next.time)}</time>
              </>
            )}
          </span>
        </p>
      </div>
      <div class="actions">
        {previous !== null && (
          <a class="button" href={links.compare(`r${previous.number}`, name)}>
            {`Diff to previous, r${previous.number}`}
          </a>
        )}
        {!revision.isCurrent && (
          <a class="button" href={links.compare(name, `r${current.number}`)}>
            {`Diff to current, r${current.number}`}
          </a>
        )}
        {revision.isCurrent ? (
          <a class="button" href={links.edit()}>
            Edit
          </a>
        ) : (
          <a class="button danger" href={links.restore(name)}>
            {`Restore ${name}…`}
          </a>
        )}
        <a class="button" href={links.document(revision.digest)}>
          Raw
        </a>
        <a class="button" href={links.document(revision.digest)} download={`config-${name}.xml`}>
          Download
        </a>
      </div>
    </div>
  )
}

function FileBar(props: SnapshotViewProps) {
  const { frame, page, query } = props
  const { links } = frame
  const name = `r${page.revision.number}`
  const path = pathAt(page.outline, query.line > 1 ? query.line : page.first)
  const turned = snapshotQueryOf({ ...query, blame: !query.blame })
  return (
    <div class="file-bar">
      <h2 class="path" id="path" data-lines={String(page.lines)}>
        {path.length === 0 ? (
          <span class="muted">{`${page.lines.toLocaleString('en')} lines`}</span>
        ) : (
          path.map(({ kind, name: called }, n) => (
            <>
              {n > 0 && <span class="muted"> › </span>}
              <span class="muted">{called === '' ? kind : `${kind} `}</span>
              <b>{called}</b>
            </>
          ))
        )}
      </h2>
      <span class="choice">
        <a
          href={links.snapshot(name, snapshotQueryOf({ ...query, blame: false }))}
          aria-current={query.blame ? undefined : 'true'}
        >
          Text
        </a>
        <a href={links.snapshot(name, turned)} aria-current={query.blame ? 'true' : undefined}>
          Blame
        </a>
      </span>
      {props.reveal === null && hidesSecrets(page) && (
        <RevealButton action={links.revealSnapshot(page.revision.commit, snapshotQueryOf(query))} />
      )}
      <form class="find" action={links.snapshot(name)} role="search" aria-label="File">
        {query.blame && <input type="hidden" name="blame" value="1" />}
        <input
          type="search"
          name="find"
          value={query.find}
          placeholder="Find in file"
          aria-label="Find in file"
        />
      </form>
    </div>
  )
}

function hidesSecrets({ shown }: SnapshotPage): boolean {
  return shown.some(({ pieces }) => pieces.some(({ isSecret }) => isSecret))
}

const MOST_LINKS = 40

function Found(props: SnapshotViewProps) {
  const { found } = props.page
  if (found === null) return <></>
  const { count, lines, text } = found
  return (
    <p class="found" role="status">
      {count === 0 && `No line has “${text}”.`}
      {count > 0 && `${count} ${count === 1 ? 'line has' : 'lines have'} “${text}”: `}
      {lines.slice(0, MOST_LINKS).map((line) => (
        <>
          <a href={addressOf(props, line)}>{String(line)}</a>{' '}
        </>
      ))}
      {count > MOST_LINKS && `and ${count - MOST_LINKS} more`}
    </p>
  )
}

function Windows(props: SnapshotViewProps) {
  const { first, last, lines } = props.page
  if (first === 1 && last === lines) return <></>
  return (
    <nav class="windows" aria-label="Parts of the file">
      {first > 1 && (
        <a class="button" rel="prev" href={addressOf(props, Math.max(1, first - WINDOW))}>
          ← Lines before
        </a>
      )}
      <span class="muted">
        {`Lines ${first.toLocaleString('en')} to ${last.toLocaleString('en')} of ${lines.toLocaleString('en')}`}
      </span>
      {last < lines && (
        <a class="button" rel="next" href={addressOf(props, last + 1)}>
          Lines after →
        </a>
      )}
    </nav>
  )
}

function Listing({ frame: { links }, page, now }: SnapshotViewProps) {
  const { blame, shown, first } = page
  if (blame !== null && !blame.known) {
    return (
      <p class="found" role="status">
        {`Finding out who wrote each line: ${blame.reached} of ${blame.of} revisions are done. `}
        This page asks again by itself.
      </p>
    )
  }
  const runs = blame?.runs ?? []
  const linkOf = ({ number }: { readonly number: number }) =>
    number > 1 ? links.compare(`r${number - 1}`, `r${number}`) : links.snapshot('r1')
  return (
    <div
      class={`listing code ${blame === null ? '' : 'blamed'}`}
      tabindex={0}
      role="group"
      aria-label="Lines"
    >
      {raw(listingHtml(shown, { first, runs, now, linkOf }))}
    </div>
  )
}
