import { type IndexProgress, renderProgress } from '../../index/index-progress.ts'

/** The headers of a page with this notice: the browser asks again, in seconds. */
export const REFRESHING = { refresh: '3' }

/** Says that a list is not complete yet, and how far the history is indexed. */
export function IndexingNotice({ progress }: { progress: IndexProgress }) {
  const { indexed, of } = progress
  return (
    <div class="card indexing" role="status">
      <p>{`${renderProgress(progress)}. Older revisions follow; this page refreshes automatically.`}</p>
      <progress max={of} value={indexed} aria-label="Indexed revisions" />
    </div>
  )
}
