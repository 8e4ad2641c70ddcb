import type { Child } from 'hono/jsx'

/** Scripts of the pages that keep themselves up to date. */
export const LIVE_SCRIPTS = ['live.js']

/**
 * A page that looks at its own address again every so many milliseconds; 0 is a page that will not
 * change. What carries `data-part` is taken from the new one. Without scripts there is a link.
 */
export function Live({ every, now, children }: { every: number; now: number; children: Child }) {
  return (
    <div class="live-page" data-live={every} data-now={now}>
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
