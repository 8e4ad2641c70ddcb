import type { FollowedRevisions } from '../../configuration/search/followed-revisions.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { INDEX_PAUSE_MS, type RevisionWatch } from '../../notify/revision-watch.ts'
import { type ClientNames, renderRevision } from '../../wire/revision-bodies.ts'
import type { WatchEvent } from '../../wire/revision-events.ts'
import { EventStream } from './event-stream.ts'

export interface RevisionStreamsOptions {
  readonly watch: RevisionWatch
  readonly clientNames: ClientNames
}

/** The interval of signs of life; a connection that is silent for longer is cut. */
const KEEP_ALIVE_INTERVAL_MS = 10_000
/** After this time a reader has to come back, and show that it still may. */
const MAX_DURATION_MS = 600_000

/** Sends every revision to the readers of event streams, each from where it is. */
export class RevisionStreams {
  readonly #options: RevisionStreamsOptions
  readonly #readers = new Set<Reader>()
  #timer: NodeJS.Timeout | null = null

  constructor(options: RevisionStreamsOptions) {
    this.#options = options
  }

  /** Begins a stream after a commit. */
  open(since: CommitSha, followed: FollowedRevisions): Response {
    const { watch, clientNames } = this.#options
    const end = performance.now() + MAX_DURATION_MS
    const reader = new Reader({ watch, clientNames, followed, end }, since, () => {
      this.#readers.delete(reader)
      this.#rest()
    })
    this.#readers.add(reader)
    this.#timer ??= setInterval(() => this.#keepAlive(), KEEP_ALIVE_INTERVAL_MS)
    return reader.begin()
  }

  #keepAlive(): void {
    for (const reader of this.#readers) reader.keepAlive()
  }

  /** Stops keeping streams alive while none is open. */
  #rest(): void {
    if (this.#readers.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

interface ReaderOptions extends Pick<RevisionStreamsOptions, 'watch' | 'clientNames'> {
  /** The revisions that the caller of the stream hears of. */
  readonly followed: FollowedRevisions
  readonly end: number
}

class Reader {
  readonly #options: ReaderOptions
  readonly #stream: EventStream
  #unlisten: () => void = () => {}
  #again: NodeJS.Timeout | undefined
  #at: CommitSha
  #work: Promise<void> = Promise.resolve()

  constructor(options: ReaderOptions, since: CommitSha, closed: () => void) {
    this.#options = options
    this.#at = since
    this.#stream = new EventStream(() => {
      this.#unlisten()
      clearTimeout(this.#again)
      closed()
    })
  }

  begin(): Response {
    this.#unlisten = this.#options.watch.listen(() => this.#wake())
    this.#stream.keepAlive()
    this.#wake()
    return this.#stream.response
  }

  keepAlive(): void {
    if (performance.now() > this.#options.end) this.#stream.close()
    else this.#stream.keepAlive()
  }

  #wake(): void {
    this.#work = this.#work.then(() => this.#sendNewer())
  }

  /**
   * Sends newer revisions. An error ends the stream; the reader asks again and learns the reason.
   */
  async #sendNewer(): Promise<void> {
    if (!this.#stream.isOpen) return
    const { watch, followed } = this.#options
    try {
      if (watch.isClosed) return this.#stream.close()
      const { revisions, isRewritten } = await watch.newer(this.#at)
      const picked = await followed.pick(isRewritten ? [] : revisions)
      const current = isRewritten ? await followed.newest() : null
      if (current !== null) this.#send('rewritten', current)
      for (const revision of picked.revisions) this.#send('revision', revision)
      if (!picked.isWhole || (isRewritten && current === null)) return this.#lookAgain()
      if (!isRewritten) this.#at = revisions.at(-1)?.commit ?? this.#at
    } catch (error) {
      if (!(error instanceof Error)) throw error
      this.#stream.close()
    }
  }

  #lookAgain(): void {
    clearTimeout(this.#again)
    if (this.#stream.isOpen) this.#again = setTimeout(() => this.#wake(), INDEX_PAUSE_MS).unref()
  }

  #send(event: WatchEvent, revision: Revision): void {
    this.#at = revision.commit
    const data = renderRevision(revision, this.#options.clientNames)
    this.#stream.send({ id: revision.commit, event, data })
  }
}
