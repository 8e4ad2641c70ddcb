import type { Child } from 'hono/jsx'
import type { Plan } from '../../builds/plan/plan-configuration.ts'
import type { DocumentComparison } from '../code/comparison.ts'
import { PlainDiff } from '../code/plain-diff.tsx'
import { LineCounts } from '../history/history-table.tsx'
import { ActionButton, EnterButton, SAVE } from '../kit/buttons.tsx'
import type { PageFrame } from '../kit/layout.tsx'
import { NoticeCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { ChangesCard } from '../parts/change-list.tsx'
import { RevisionName } from '../parts/revision-name.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { InvalidEditCard, MessageField } from './edit-view.tsx'
import { FOR_OTHERS } from './propose-change.ts'
import { lookOfStep, nextStep, PlanCard } from './plan-card.tsx'

/** The effects of an edit before it is saved or proposed. */
export interface SavePreview {
  readonly message: string
  readonly current: NumberedRevision
  readonly comparison: DocumentComparison
  readonly hasInvalidEdit: boolean
  readonly plan: Plan | null
  /** Why nothing was saved, when that was tried. */
  readonly notice: string | null
  /** Whether the caller may propose it, and not save it. */
  readonly isForOthers: boolean
}

interface SavePreviewPartsProps {
  readonly frame: PageFrame
  readonly title: string
  /** The label of the button that leads back. */
  readonly back: string
  readonly preview: SavePreview
  /** The changes of others that were merged in; null for none. */
  readonly merged: Child | null
  /** More than the differences, above them. */
  readonly children?: Child
}

/** The head of a preview with its buttons, and below it the effects; to stand in the form that saves. */
export function SavePreviewParts({ frame, title, back, preview, ...rest }: SavePreviewPartsProps) {
  const { message, current, comparison, hasInvalidEdit, plan, notice, isForOthers } = preview
  const { merged, children } = rest
  return (
    <>
      <EnterButton value={isForOthers ? 'propose' : ((plan && nextStep(plan)) ?? 'edit')} />
      <PageHead
        title={title}
        trail={[[<ActionButton value="edit" label={back} look="quiet" />, null]]}
        about={
          <>
            Compared with <RevisionName frame={frame} number={current.number} />:{' '}
            <LineCounts lines={comparison.lines} /> lines. Nothing is saved yet.
          </>
        }
        actions={
          <>
            <MessageField message={message} />
            <SaveButtons {...preview} value="save" label="Save" />
          </>
        }
      />
      <NoticeCard look="bad" role="alert">
        {notice}
      </NoticeCard>
      <NoticeCard>{isForOthers ? FOR_OTHERS : null}</NoticeCard>
      {hasInvalidEdit && <InvalidEditCard links={frame.links} />}
      <NoticeCard>{merged}</NoticeCard>
      <ChangesCard changes={comparison.changes} />
      {plan !== null && <PlanCard plan={plan} />}
      {children}
      <PlainDiff comparison={comparison} />
    </>
  )
}

interface SaveButtonsProps extends Pick<SavePreview, 'plan' | 'isForOthers'> {
  /** The action of a save, and its label. */
  readonly value: string
  readonly label: string
}

/** The buttons that propose and save what was previewed. */
export function SaveButtons({ plan, isForOthers, value, label }: SaveButtonsProps) {
  if (isForOthers || plan === null) {
    return <ActionButton value="propose" label="Propose" look="primary" shortcut={SAVE} />
  }
  return (
    <>
      <ActionButton value="propose" label="Propose" look={lookOfStep(plan, 'propose')} />
      <ActionButton value={value} label={label} look={lookOfStep(plan, 'save')} shortcut={SAVE} />
    </>
  )
}
