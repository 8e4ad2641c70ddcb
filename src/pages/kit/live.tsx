import type { Child } from 'hono/jsx'

/** The scripts of pages that update themselves. */
export const LIVE_SCRIPTS = ['live.js']

interface LiveProps {
  readonly every: number
  readonly now: number
  /** The address to reload where it differs, as after an action. */
  readonly at?: string
  readonly children: Child
}

/**
 * A page that reloads its own address at an interval in milliseconds; 0 for a page that will not
 * change. Elements with `data-part` are replaced by the new ones. Without scripts there is a link.
 */
export function Live({ every, now, at, children }: LiveProps) {
  return (
    <div class="live-page" data-live={every} data-now={now} data-at={at}>
      {children}
    </div>
  )
}

/** When the page was rendered, and a link to reload it. */
export function Freshness({ here }: { here: string }) {
  return (
    <span class="freshness">
      <a class="refresh" href={here}>
        Refresh
      </a>
      <span class="stale-notice" role="status" />
    </span>
  )
}
