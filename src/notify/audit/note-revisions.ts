import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { History, RevisionEvent } from '../../history/history.ts'
import type { Audit } from './audit.ts'

/** Records every change of the configuration from any source. Returns a function that stops it. */
export function noteRevisions(history: History, audit: Audit, log: Log): () => void {
  return history.onRevision((news) =>
    inBackground(log, 'A change of the configuration could not be noted', note(audit, news)),
  )
}

async function note(audit: Audit, { added, isRewritten }: RevisionEvent): Promise<void> {
  const newest = added.at(-1)
  if (!newest) return
  await audit.note({
    user: newest.username,
    action: isRewritten ? 'rewrite-history' : 'change-configuration',
    target: added.length > 1 ? `${added.length} commits up to ${newest.commit}` : newest.commit,
    address: '',
    outcome: 'done',
    md5: newest.digest,
  })
}
