import type { InvalidEdit } from '../../history/sync/reconciler.ts'
import type { DocumentComparison } from '../code/comparison.ts'
import { PlainDiff } from '../code/plain-diff.tsx'
import { ChangesAboveText } from '../parts/change-list.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { LineCounts } from '../history/history-table.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'

export interface LiveFileViewProps {
  readonly frame: PageFrame
  readonly fileName: string
  readonly flash: FlashMessage | null
  readonly current: NumberedRevision
  /** Null while the file is valid, and so current. */
  readonly edit: InvalidEdit | null
  /** The current configuration compared with the file; null where the file cannot be read. */
  readonly comparison: DocumentComparison | null
}

const MOST = 50

/** The file on disk while it is not valid: its problems, its changes, and the ways out. */
export function LiveFileView(props: LiveFileViewProps) {
  const { frame, flash, edit } = props
  return (
    <PageLayout
      frame={frame}
      title="File on disk"
      section="edit"
      wide
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      {flash && <FlashCard flash={flash} />}
      {edit === null ? <Valid {...props} /> : <Invalid {...props} edit={edit} />}
    </PageLayout>
  )
}

function Valid({ frame: { links }, fileName, current }: LiveFileViewProps) {
  const name = `r${current.number}`
  return (
    <>
      <div class="page-head">
        <div>
          <h1>The file on disk is valid</h1>
          <p class="muted">
            <code>{fileName}</code> is <a href={links.snapshot(name)}>{name}</a> by {current.who}.
          </p>
        </div>
        <div class="actions">
          <a class="button" href={links.change(current)}>
            {`Changes of ${name}`}
          </a>
          <a class="button primary" href={links.edit()}>
            Edit
          </a>
        </div>
      </div>
    </>
  )
}

function Invalid(props: LiveFileViewProps & { readonly edit: InvalidEdit }) {
  const { frame, fileName, current, edit, comparison } = props
  const { links } = frame
  const name = `r${current.number}`
  return (
    <>
      <div class="page-head">
        <div>
          <h1>The file on disk is not valid</h1>
          <p class="muted">
            Somebody edited <code>{fileName}</code>. Until it is valid,{' '}
            <a href={links.snapshot(name)}>{name}</a> by {current.who} stays current.
          </p>
        </div>
        <form class="actions" method="post" action={links.liveFile()}>
          <input type="hidden" name="version" value={edit.version} />
          <a class="button" href={links.liveFile()}>
            Check again
          </a>
          <button>Put aside</button>
          {edit.bytes !== null && (
            <a class="button primary" href={links.edit({ from: 'live' })}>
              Repair
            </a>
          )}
        </form>
      </div>
      <Problems edit={edit} />
      <section class="card">
        <h2>What you can do</h2>
        <ul>
          <li>
            <b>Repair</b> opens the file in the editor. Saving makes it a revision.
          </li>
          <li>
            <b>Put aside</b> keeps the file as <code>{`${fileName}.invalid-`}</code> and the time,
            for 30 days, and puts {name} back in its place.
          </li>
          <li>
            <b>Check again</b> after an edit on disk: a valid file becomes a revision by itself.
          </li>
        </ul>
      </section>
      {comparison !== null && <Changes comparison={comparison} name={name} />}
    </>
  )
}

function Problems({ edit: { problems } }: { edit: InvalidEdit }) {
  const more = problems.length - MOST
  return (
    <section class="card problems">
      <h2>{problems.length === 1 ? '1 problem' : `${problems.length} problems`}</h2>
      <ul>
        {problems.slice(0, MOST).map(({ line, message }) => (
          <li>{line === undefined ? message : `Line ${line}: ${message}`}</li>
        ))}
      </ul>
      {more > 0 && <p class="muted">{`and ${more} more`}</p>}
    </section>
  )
}

function Changes({ comparison, name }: { comparison: DocumentComparison; name: string }) {
  const { changes, lines } = comparison
  return (
    <>
      <section class="card">
        <h2>
          {`Compared with ${name}: `}
          <LineCounts lines={lines} /> lines
        </h2>
        {changes !== null && changes.count > 0 && <ChangesAboveText listed={changes.listed} />}
      </section>
      <PlainDiff comparison={comparison} />
    </>
  )
}
