import type { DocumentComparison } from '../code/comparison.ts'
import type { EditDraft } from './edit-draft.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { ChangesCard } from '../parts/change-list.tsx'
import { PlainDiff } from '../code/plain-diff.tsx'
import { LineCounts } from '../history/history-table.tsx'
import { ActionButton, SAVE } from '../kit/buttons.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { DraftFields, InvalidEditCard, MessageField } from './edit-view.tsx'
import type { Plan } from '../../builds/plan/plan-configuration.ts'
import { PlanCard } from './plan-card.tsx'
import { type EditBase, shortName, whatCameMeanwhile } from './started-from.tsx'
import { TypedText } from './typed-text.tsx'

export interface PreviewViewProps {
  readonly frame: PageFrame
  readonly draft: EditDraft
  readonly message: string
  readonly current: NumberedRevision
  /** The revision that the edit started from, when what came since is merged in. */
  readonly mergedFrom: EditBase | null
  readonly comparison: DocumentComparison
  readonly hasInvalidEdit: boolean
  readonly plan: Plan
  /** Why nothing was saved, when that was tried. */
  readonly notice: string | null
}

/** The changes of a save, shown before it. */
export function PreviewView(props: PreviewViewProps) {
  const { frame, draft, current, mergedFrom, comparison } = props
  const { links } = frame
  const { changes, lines } = comparison
  return (
    <PageLayout
      frame={frame}
      title="Preview changes"
      section="edit"
      wide
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      <form class="edit" method="post" action={links.edit()} enctype="multipart/form-data">
        <DraftFields basedOn={draft.basedOn} entity={draft.entity} />
        <PageHead
          title="Preview changes"
          trail={[[<ActionButton value="edit" label="Back to editing" look="quiet" />, null]]}
          about={
            <>
              Compared with{' '}
              <a href={links.snapshot(`r${current.number}`)}>{`r${current.number}`}</a>:{' '}
              <LineCounts lines={lines} /> lines. Nothing is saved yet.
            </>
          }
          actions={
            <>
              <MessageField message={props.message} />
              <ActionButton value="propose" label="Propose" />
              <ActionButton value="save" label="Save" look="primary" shortcut={SAVE} />
            </>
          }
        />
        {props.notice !== null && (
          <p class="card bad" role="alert">
            {props.notice}
          </p>
        )}
        {props.hasInvalidEdit && <InvalidEditCard links={links} />}
        {mergedFrom !== null && (
          <p class="card stale" role="status">
            <b>{whatCameMeanwhile(mergedFrom, { current, savers: [current.who] })}</b>{' '}
            {`You started from ${shortName(mergedFrom)}; your changes merged cleanly.`}
          </p>
        )}
        <ChangesCard changes={changes} />
        <PlanCard plan={props.plan} />
        <PlainDiff comparison={comparison} />
        <TypedText typed={draft.typed} />
      </form>
    </PageLayout>
  )
}
