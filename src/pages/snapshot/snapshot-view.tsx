import { raw } from 'hono/html'
import { LINES_PER_PART } from '../work/snapshot-text.ts'
import type { PlainSecrets } from '../../configuration/read/plain-secret-alarm.ts'
import { PlainSecretsCard } from '../parts/plain-secrets.tsx'
import type { SnapshotPage, SnapshotQuery } from './snapshot-page.ts'
import type { RevealCount } from './reveal-secrets.ts'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import { ChangeWords, Headline } from '../parts/change-words.tsx'
import { type RefusedTag, TagForm, TagLine } from '../parts/revision-tags.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { RevealButton, RevealedNotice } from './secrets.tsx'
import { Moment } from '../kit/when.tsx'
import { Who } from '../parts/who.tsx'
import { listingHtml } from '../code/listing-html.ts'
import { LinkChoice, LinkButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { PageHead } from '../kit/page-head.tsx'
import type { Links, RevisionStep } from '../kit/links.ts'
import { OutlineView, pathAt } from './outline.tsx'
import { permanentAddress, snapshotQueryOf } from './snapshot-query.ts'
import { Separated } from '../kit/lists.tsx'

export interface SnapshotViewProps extends OpenPageWithMessage {
  readonly page: SnapshotPage
  readonly query: SnapshotQuery
  /** Whether the address of the page means another revision after the next save. */
  readonly isMoving: boolean
  /** The secrets that this revision has in plain text, or null. */
  readonly leak: PlainSecrets | null
  /** The count of decrypted secrets; null where secrets are hidden. */
  readonly reveal: RevealCount | null
  readonly refused?: RefusedTag
}

/** A snapshot: its text, its outline, and the author of each line. */
export function SnapshotView(props: SnapshotViewProps) {
  const { frame, page, query, isMoving, leak, reveal, flash } = props
  const { revision } = page
  const back = permanentAddress(frame.links, page, query)
  return (
    <PageLayout
      frame={frame}
      title={revision.isCurrent ? 'Current config' : `Configuration r${revision.number}`}
      section={revision.isCurrent ? 'current' : 'history'}
      wide
      styles={['code.css', 'snapshot.css']}
      scripts={['snapshot.js']}
    >
      {flash && <FlashCard flash={flash} />}
      <Head {...props} />
      {leak && (
        <PlainSecretsCard
          links={frame.links}
          revision={revision}
          secrets={leak}
          lineOf={(line) => addressOf(props, line)}
        />
      )}
      {reveal && <RevealedNotice links={frame.links} count={reveal} back={back} />}
      <div class="snapshot" data-address={isMoving ? back : undefined}>
        <OutlineView outline={page.outline} linkOf={({ first }) => addressOf(props, first)} />
        <section class="file box" aria-label="Configuration XML">
          <FileBar {...props} />
          <Windows {...props} label="Parts of the file, above" />
          <Listing {...props} />
          <Windows {...props} label="Parts of the file, below" />
        </section>
      </div>
    </PageLayout>
  )
}

/** The permanent address of this page at a line, in the window that contains it. */
function addressOf({ frame, page, query, isMoving }: SnapshotViewProps, line: number): string {
  const isShown = line >= page.first && line <= page.last
  if (isShown && !isMoving) return `#L${line}`
  const asked = isShown ? query : { ...query, line }
  return `${permanentAddress(frame.links, page, asked)}#L${line}`
}

function Head(props: SnapshotViewProps) {
  const { page, query, refused } = props
  const { links } = props.frame
  const { revision, previous, next } = page
  const shown = { blame: query.blame ? '1' : null }
  const stepTo = (step: RevisionStep | null) => step && links.snapshot(`r${step.number}`, shown)
  return (
    <PageHead
      trail={[['← History', links.historyAt(revision.number), 'u']]}
      steps={{ older: stepTo(previous), newer: stepTo(next) }}
      title={<Headline revision={revision} />}
      name={
        <>
          {`r${revision.number}`} {revision.isCurrent && <span class="badge added">current</span>}
        </>
      }
      about={
        <span class="row">
          <Who revision={revision} />
          <span>
            In effect from <Moment time={revision.time} />
            {next !== null && (
              <>
                {' to '}
                <Moment time={next.time} />
              </>
            )}
          </span>
          <code title={revision.digest}>{revision.digest.slice(0, 8)}</code>
        </span>
      }
      below={
        <>
          <ChangeWords revision={revision} links={links} isBelowHeadline />
          <TagLine links={links} revision={revision} from={null} />
        </>
      }
      actions={<Actions {...props} />}
      menu={
        <>
          <MoreActions {...props} />
          <TagForm links={links} revision={revision} from={null} refused={refused ?? null} />
        </>
      }
      isMenuOpen={refused !== undefined}
    />
  )
}

function Actions({ frame: { links }, page: { revision } }: SnapshotViewProps) {
  return (
    <>
      {revision.base !== null && <LinkButton href={links.change(revision)} label="Changes" />}
      {revision.isCurrent && (
        <LinkButton href={links.edit()} label="Edit" icon="pencil" look="primary" shortcut="e" />
      )}
    </>
  )
}

function MoreActions({ frame: { links }, page: { revision, current } }: SnapshotViewProps) {
  const name = `r${revision.number}`
  return (
    <>
      {!revision.isCurrent && (
        <>
          <a href={links.compare(name, `r${current.number}`)}>
            {`Compare with current, r${current.number}`}
          </a>
          <a href={links.restore(name)}>{`Restore ${name}…`}</a>
        </>
      )}
      <a href={links.revisionRuns(name)}>{`Runs by ${name}`}</a>
      <a href={links.document(revision.digest)}>Raw XML</a>
      <a href={links.document(revision.digest)} download={`config-${name}.xml`}>
        Download XML
      </a>
    </>
  )
}

function FileBar(props: SnapshotViewProps) {
  const { frame, page, query } = props
  const { links } = frame
  const name = `r${page.revision.number}`
  const path = pathAt(page.outline, query.line ?? page.first)
  const entity = path.findLast((entry) => entry.entity !== null)?.entity ?? null
  const turned = snapshotQueryOf({ ...query, blame: !query.blame })
  return (
    <div class="file-bar top-bar">
      <h2 class="path" id="path" data-lines={String(page.lines)}>
        {path.length === 0 ? (
          <span class="muted">{countOf(page.lines, 'line')}</span>
        ) : (
          <Separated
            items={path}
            by={<span class="muted"> › </span>}
            of={({ kind, name: called }) => (
              <>
                <span class="muted">{called === '' ? kind : `${kind} `}</span>
                <b>{called}</b>
              </>
            )}
          />
        )}
      </h2>
      <HistoryLink links={links} entity={entity} />
      <LinkChoice
        label="Display"
        options={[
          ['Text', links.snapshot(name, snapshotQueryOf({ ...query, blame: false })), !query.blame],
          ['Blame', links.snapshot(name, turned), query.blame],
        ]}
      />
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
          aria-keyshortcuts="f"
          aria-label="Find in file"
        />
      </form>
      <Found {...props} />
    </div>
  )
}

/** A link to the history of the entity at the top; the script keeps it up to date. */
function HistoryLink({ links, entity }: { links: Links; entity: string | null }) {
  const [, kind = '', name = ''] = /^([^/]*)\/?(.*)$/s.exec(entity ?? '') ?? []
  return (
    <a
      id="path-history"
      href={entity === null ? undefined : links.entity(kind, name)}
      data-entities={links.entity('', '')}
      hidden={entity === null}
    >
      History<span class="visually-hidden">{` of ${kind} ${name}`}</span>
    </a>
  )
}

function hidesSecrets({ shown }: SnapshotPage): boolean {
  return shown.some(({ pieces }) => pieces.some(({ isSecret }) => isSecret))
}

/** The lines with the text, one after the other. */
function Found(props: SnapshotViewProps) {
  const { page, query } = props
  if (page.found === null) return <></>
  const { lines, text } = page.found
  const line = query.line ?? 1
  const next = lines.findIndex((each) => each > line)
  const at = (next < 0 ? lines.length : next) - 1
  return (
    <div class="row found">
      <p role="status">
        {lines.length === 0 && `No line contains “${text}”`}
        {lines.length > 0 && `${at < 0 ? '' : `${at + 1} of `}${countOf(lines.length, 'line')}`}
      </p>
      {lines.length > 1 && (
        <>
          <FoundLink {...props} line={lines[at - 1] ?? lines.at(-1)} step="previous" />
          <FoundLink {...props} line={lines[at + 1] ?? lines[0]} step="next" />
        </>
      )}
    </div>
  )
}

interface FoundLinkProps extends SnapshotViewProps {
  readonly line: number | undefined
  readonly step: 'previous' | 'next'
}

/** Leads to another line with the text, and makes it the one that the count is about. */
function FoundLink({ frame, page, query, line = 1, step }: FoundLinkProps) {
  const address = permanentAddress(frame.links, page, { ...query, line })
  return (
    <a
      class="button"
      href={`${address}#L${line}`}
      aria-keyshortcuts={step === 'next' ? 'n' : 'p'}
      aria-label={`${step === 'next' ? 'Next' : 'Previous'} line with the text`}
    >
      {step === 'next' ? 'Next ↓' : 'Previous ↑'}
    </a>
  )
}

function Windows(props: SnapshotViewProps & { label: string }) {
  const { first, last, lines } = props.page
  if (first === 1 && last === lines) return <></>
  return (
    <nav class="pager windows" aria-label={props.label}>
      {first > 1 && (
        <LinkButton
          rel="prev"
          href={addressOf(props, Math.max(1, first - LINES_PER_PART))}
          label="← Lines before"
        />
      )}
      <span class="muted">
        {`Lines ${first.toLocaleString('en')} to ${last.toLocaleString('en')} of ${lines.toLocaleString('en')}. `}
        The browser searches only these; “Find in file” searches all.
      </span>
      {last < lines && (
        <LinkButton rel="next" href={addressOf(props, last + 1)} label="Lines after →" />
      )}
    </nav>
  )
}

function Listing(props: SnapshotViewProps) {
  const { page, query, now } = props
  const { links } = props.frame
  const { blame, shown, first } = page
  if (blame !== null && !blame.known) {
    return (
      <p class="windows" role="status">
        {`Finding the author of each line: ${blame.reached.toLocaleString('en')} of ${blame.of.toLocaleString('en')} revisions. `}
        The page refreshes automatically.
      </p>
    )
  }
  const runs = blame?.runs ?? []
  const linkOf = (revision: RevisionStep) => links.change(revision)
  const lineAt = (line: number) => addressOf(props, line)
  const { find } = query
  return (
    <div
      class={`listing code ${blame === null ? '' : 'blamed'}`}
      tabindex={0}
      role="group"
      aria-label="Lines"
    >
      {raw(listingHtml(shown, { first, runs, now, linkOf, addressOf: lineAt, find }))}
    </div>
  )
}
