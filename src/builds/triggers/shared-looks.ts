import { materialFingerprint } from '../../document/materials/identity.ts'
import type { RevisionsDeps } from './wanted-revisions.ts'

type Poller = RevisionsDeps['poller']

/**
 * Looks at the materials of pipelines. One look serves every start that waited when it began, in the order in which they
 * asked: no later run has an older revision. A start that is asked for after that has the next look.
 */
export class SharedLooks {
  readonly #poller: Poller
  /** The looks that have not begun. */
  readonly #next = new Map<string, Poller>()

  constructor(poller: Poller) {
    this.#poller = poller
  }

  /** The look for a start of a pipeline that is asked for now. It begins with the first material that is polled. */
  next(pipeline: string): Poller {
    const next = this.#next.get(pipeline) ?? this.#look(pipeline)
    this.#next.set(pipeline, next)
    return next
  }

  /** Ends the wait for a look: its start is over, or needs none. */
  end(pipeline: string, look: Poller): void {
    if (this.#next.get(pipeline) === look) this.#next.delete(pipeline)
  }

  #look(pipeline: string): Poller {
    const poller = this.#poller
    const polls = new Map<string, Promise<string>>()
    const once = (fingerprint: string, poll: () => Promise<string>) => {
      this.end(pipeline, look)
      const found = polls.get(fingerprint) ?? poll()
      polls.set(fingerprint, found)
      return found
    }
    const look: Poller = {
      latest: (fingerprint) => poller.latest(fingerprint),
      poll: (fingerprint) => once(fingerprint, () => poller.poll(fingerprint)),
      pollOnce: (material, name) =>
        once(materialFingerprint(material), () => poller.pollOnce(material, name)),
      find: (fingerprint, revision) => poller.find(fingerprint, revision),
      changes: (fingerprint, span) => poller.changes(fingerprint, span),
    }
    return look
  }
}
