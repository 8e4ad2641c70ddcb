import type { Pagination } from '../../core/page.ts'

export interface PagerProps {
  readonly pagination: Pagination
  /** How many of them are on this page. */
  readonly shown: number
  /** The words of the two ways, such as `Newer` and `Older`. */
  readonly words: readonly [back: string, on: string]
  /** The address of the page that begins there; null for the first page. */
  readonly to: (offset: number | null) => string
}

export const BY_TIME: PagerProps['words'] = ['Newer', 'Older']
export const BY_PLACE: PagerProps['words'] = ['Previous', 'Next']

/** `1 to 10 of 412`, with the ways to the pages before and after; nothing where one page holds all. */
export function Pager({ pagination: { offset, total, pageSize }, shown, words, to }: PagerProps) {
  if (total <= pageSize && offset === 0) return <></>
  const [back, on] = words
  return (
    <nav class="pager" aria-label="Pages">
      {offset > 0 && (
        <a class="button" rel="prev" href={to(offset > pageSize ? offset - pageSize : null)}>
          {`← ${back}`}
        </a>
      )}
      <span class="muted">
        {shown === 0 ? '' : `${offset + 1} to ${offset + shown} of ${total}`}
      </span>
      {offset + pageSize < total && (
        <a class="button" rel="next" href={to(offset + pageSize)}>
          {`${on} →`}
        </a>
      )}
    </nav>
  )
}
