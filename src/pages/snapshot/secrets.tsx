import type { RevealCount } from './reveal-secrets.ts'
import { countOf } from '../kit/words/count.ts'
import type { Links } from '../kit/links.ts'

/** Requests the secrets of a page; every request is recorded in the audit log. */
export function RevealButton({ action }: { action: string }) {
  return (
    <form method="post" action={action}>
      <button title="Each use is recorded in the audit log">Reveal secrets</button>
    </form>
  )
}

export interface RevealedNoticeProps {
  readonly links: Links
  readonly count: RevealCount
  /** The address of this page with its secrets hidden. */
  readonly back: string
}

/** How many secrets are shown, and why some are not. */
export function RevealedNotice({ links, count: { opened, kept }, back }: RevealedNoticeProps) {
  return (
    <p class="card stale" role="status">
      {opened === 0
        ? 'No secrets can be shown. '
        : `${countOf(opened, 'secret')} shown in plain text. `}
      {kept > 0 && `${countOf(kept, 'secret')} still hidden: encrypted with another key. `}
      Recorded in the <a href={links.audit({ action: 'reveal-secrets' })}>audit log</a>.{' '}
      <a href={back}>Hide secrets</a>
    </p>
  )
}
