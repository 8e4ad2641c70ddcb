import type { Pagination } from '../../../core/page.ts'

/** `1 to 10 of 412`, with the ways to newer and older runs. */
export function RunPager({
  pagination: { offset, total, pageSize },
  shown,
  to,
}: {
  pagination: Pagination
  shown: number
  to: (offset: number | null) => string
}) {
  if (total <= pageSize && offset === 0) return <></>
  const newer = Math.max(0, offset - pageSize)
  return (
    <nav class="pager" aria-label="Pages">
      {offset > 0 && (
        <a class="button" rel="prev" href={to(newer === 0 ? null : newer)}>
          ← Newer runs
        </a>
      )}
      <span class="muted">
        {shown === 0 ? '' : `${offset + 1} to ${offset + shown} of ${total}`}
      </span>
      {offset + pageSize < total && (
        <a class="button" rel="next" href={to(offset + pageSize)}>
          Older runs →
        </a>
      )}
    </nav>
  )
}
