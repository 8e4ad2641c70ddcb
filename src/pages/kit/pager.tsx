import type { Pagination } from '../../core/page.ts'
import { LinkButton } from './buttons.tsx'

export interface PagerProps {
  /** The name of the list, when a page has several pagers. */
  readonly name?: string
  readonly pagination: Pagination
  /** The number of items on this page, where some of them are left out. */
  readonly shown?: number
  /** The labels of both directions, such as `Newer` and `Older`. */
  readonly labels?: readonly [back: string, on: string]
  /** The address of the page at an offset; null for the first page. */
  readonly to: (offset: number | null) => string
}

export const BY_TIME = ['Newer', 'Older'] as const

/**
 * `1 to 10 of 412`, with links to the previous and the next page; nothing if one page holds all.
 */
export function Pager({
  name = 'Pages',
  pagination: { offset, total, pageSize },
  shown = Math.max(0, Math.min(pageSize, total - offset)),
  labels: [back, on] = ['Previous', 'Next'],
  to,
}: PagerProps) {
  if (total <= pageSize && offset === 0) return <></>
  return (
    <nav class="pager" aria-label={name}>
      {offset > 0 && (
        <LinkButton
          rel="prev"
          href={to(offset > pageSize ? offset - pageSize : null)}
          label={`← ${back}`}
        />
      )}
      <span class="muted">
        {shown === 0 ? '' : `${offset + 1} to ${offset + shown} of ${total}`}
      </span>
      {offset + pageSize < total && (
        <LinkButton rel="next" href={to(offset + pageSize)} label={`${on} →`} />
      )}
    </nav>
  )
}
