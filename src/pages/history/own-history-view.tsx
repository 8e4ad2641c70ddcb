import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { AdministeredParts } from '../parts/administered-parts.tsx'

interface OwnHistoryProps {
  readonly frame: PageFrame
  readonly parts: readonly EntityPlace[]
}

/** The histories of the parts that the caller administers, in place of that of the whole configuration. */
export function OwnHistoryView({ frame, parts }: OwnHistoryProps) {
  return (
    <PageLayout frame={frame} title="History" section="history">
      <PageHead title="History" about="Each part that you administer has a history of its own." />
      <section class="card">
        <AdministeredParts links={frame.links} parts={parts} />
      </section>
    </PageLayout>
  )
}
