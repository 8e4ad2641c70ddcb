import type { Child } from 'hono/jsx'
import { PageLayout, type PageProps } from './layout.tsx'

interface LivePageProps extends PageProps {
  /** In milliseconds; 0 for a page that will not change. */
  readonly every: number
  readonly now: number
  /** The address to reload where it differs, as after an action. */
  readonly at?: string | undefined
  /** The end of the page, which stays as it is. */
  readonly end?: Child
}

/**
 * A page about agents or runs that reloads its own address at an interval. Elements with `data-part`
 * are replaced by the new ones. Without scripts there is a link.
 */
export function LivePage({ every, now, at, end, children, ...page }: LivePageProps) {
  return (
    <PageLayout {...page} styles={['runs.css']} scripts={['live.js']}>
      <div class="live-page" data-live={every} data-now={now} data-at={at}>
        {children}
      </div>
      {end}
    </PageLayout>
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
