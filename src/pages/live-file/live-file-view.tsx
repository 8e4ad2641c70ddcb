import type { InvalidEdit } from '../../history/sync/reconciler.ts'
import type { DocumentComparison } from '../code/comparison.ts'
import { PlainDiff } from '../code/plain-diff.tsx'
import { ChangesAboveText } from '../parts/change-list.tsx'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import { LinkButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { ProblemList } from '../kit/lists.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { LineCounts } from '../history/history-table.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'

export interface LiveFileViewProps extends OpenPageWithMessage {
  readonly fileName: string
  readonly current: NumberedRevision
  /** Null while the file is valid, and so current. */
  readonly edit: InvalidEdit | null
  /** The current configuration compared with the file; null where the file cannot be read. */
  readonly comparison: DocumentComparison | null
}

/** The file on disk while it is not valid: its problems, its changes, and the ways out. */
export function LiveFileView(props: LiveFileViewProps) {
  const { frame, flash, edit } = props
  return (
    <PageLayout
      frame={frame}
      title="File on disk"
      section="edit"
      wide
      says={edit === null ? [] : ['live-file']}
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
    <PageHead
      title="The file on disk is valid"
      about={
        <>
          <code>{fileName}</code> is <a href={links.snapshot(name)}>{name}</a> by {current.who}.
        </>
      }
      actions={
        <>
          <LinkButton href={links.change(current)} label={`Changes of ${name}`} />
          <LinkButton href={links.edit()} label="Edit" icon="pencil" look="primary" />
        </>
      }
    />
  )
}

function Invalid(props: LiveFileViewProps & { readonly edit: InvalidEdit }) {
  const { frame, fileName, current, edit, comparison } = props
  const { links } = frame
  const name = `r${current.number}`
  const about = (
    <>
      Somebody edited <code>{fileName}</code>. Until it is valid,{' '}
      <a href={links.snapshot(name)}>{name}</a> by {current.who} stays current.
    </>
  )
  return (
    <>
      <PageHead title="The file on disk is not valid" about={about}>
        <form class="actions" method="post" action={links.liveFile()}>
          <input type="hidden" name="version" value={edit.version} />
          <LinkButton href={links.liveFile()} label="Check again" />
          <button>Put aside</button>
          {edit.bytes !== null && (
            <LinkButton href={links.edit({ from: 'live' })} label="Repair" look="primary" />
          )}
        </form>
      </PageHead>
      <ProblemList
        title={countOf(edit.problems.length, 'problem')}
        problems={edit.problems.map(({ line, message }) => ({ line, message }))}
      />
      <section class="card">
        <h2>What you can do</h2>
        <ul class="bullets">
          <li>
            <b>Repair</b> opens the file in the editor. Saving makes it a revision.
          </li>
          <li>
            <b>Put aside</b> keeps the file for 30 days as <code>{`${fileName}.invalid-`}</code> and
            the time, and puts {name} back in its place.
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
