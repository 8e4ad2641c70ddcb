import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { EditDraft } from './edit-draft.ts'
import { DraftFields, TypedText } from './edit-view.tsx'
import { type SavePreview, SavePreviewParts } from './save-preview.tsx'
import { type EditBase, shortName, whatCameMeanwhile } from './started-from.tsx'

export interface PreviewViewProps extends SavePreview {
  readonly frame: PageFrame
  readonly draft: EditDraft
  /** The revision that the edit started from, when what came since is merged in. */
  readonly mergedFrom: EditBase | null
}

/** The changes of a save, shown before it. */
export function PreviewView({ frame, draft, mergedFrom, ...preview }: PreviewViewProps) {
  const { links } = frame
  const { current } = preview
  const title = 'Preview changes'
  return (
    <PageLayout
      frame={frame}
      title={title}
      section="edit"
      wide
      says={preview.hasInvalidEdit ? ['live-file'] : []}
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      <form class="edit" method="post" action={links.edit()} enctype="multipart/form-data">
        <DraftFields basedOn={draft.basedOn} entity={draft.entity} />
        <SavePreviewParts
          {...{ frame, title, preview }}
          back="Back to editing"
          merged={
            mergedFrom && (
              <>
                <b>{whatCameMeanwhile(mergedFrom, { current, savers: [current.who] })}</b>{' '}
                {`You started from ${shortName(mergedFrom)}; your changes merged cleanly.`}
              </>
            )
          }
        />
        <TypedText typed={draft.typed} />
      </form>
    </PageLayout>
  )
}
