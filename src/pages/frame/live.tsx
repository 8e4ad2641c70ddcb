import type { Child } from 'hono/jsx'

/** Scripts of the pages that keep themselves up to date. */
export const LIVE_SCRIPTS = ['live.js']

interface LiveProps {
  readonly every: number
  readonly now: number
  /** The address to look at where it is another, as after an action. */
  readonly at?: string
  readonly children: Child
}

/**
 * A page that looks at its own address again every so many milliseconds; 0 is a page that will not
 * change. What carries `data-part` is taken from the new one. Without scripts there is a link.
 */
export function Live({ every, now, at, children }: LiveProps) {
  return (
    <div class="live-page" data-live={every} data-now={now} data-at={at}>
      {children}
    </div>
  )
}

/** When the page was made, and the way to make it again. */
export function Freshness({ here }: { here: string }) {
  return (
    <span class="freshness">
      <a class="refresh" href={here}>
        Refresh
      </a>
      <span class="stale-words" role="status" />
    </span>
  )
}
