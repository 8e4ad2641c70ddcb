import type { CommitSha, Revision } from '../../core/revision.ts'
import type { EditScript } from '../../diff/edit-script.ts'
import { carryOrigins, type LineOrigins } from '../../diff/line-origins.ts'
import type { History } from '../../history/history.ts'

export interface LineOriginsDeps {
  readonly history: History
  readonly script: (before: Uint8Array, after: Uint8Array) => Promise<EditScript>
}

/** The origins of a revision's lines, or the progress of the search. */
export type OriginsAnswer =
  | { readonly done: true; readonly origins: LineOrigins }
  | { readonly done: false; readonly reached: number; readonly of: number }

/** The origins at a revision, from which the search for a later one starts. */
interface Mark {
  readonly number: number
  readonly commit: CommitSha
  readonly origins: LineOrigins
}

interface Walk {
  reached: number
  readonly ended: Promise<LineOrigins>
}

/** The number of revisions between two intermediate marks. */
const STRIDE = 50
/** The limit of line numbers in all marks together. */
const MOST_KEPT = 8_000_000

/**
 * Finds the revision that wrote each line of a document. The lines are traced once from the oldest
 * revision on; a later revision continues from the nearest mark. Everything can be evicted at any
 * time.
 */
export class LineOriginsCache implements Disposable {
  readonly #deps: LineOriginsDeps
  readonly #marks = new Map<number, Mark>()
  readonly #walks = new Map<CommitSha, Walk>()
  #kept = 0
  #closed = false

  constructor(deps: LineOriginsDeps) {
    this.#deps = deps
  }

  /**
   * The number of the revision that wrote each line, if found within so many milliseconds. The
   * search continues afterwards, so a later call gets further.
   */
  async of(revision: Revision, patience: number): Promise<OriginsAnswer> {
    const number = this.#deps.history.numberOf(revision) ?? 0
    const known = this.#marks.get(number)
    if (known?.commit === revision.commit) return { done: true, origins: known.origins }
    const walk = this.#walks.get(revision.commit) ?? this.#start(revision, number)
    const origins = await firstWithin(walk.ended, patience)
    if (origins !== null) return { done: true, origins }
    return { done: false, reached: walk.reached, of: number }
  }

  /** Ends all searches. */
  [Symbol.dispose](): void {
    this.#closed = true
  }

  #start(revision: Revision, number: number): Walk {
    const walk = { reached: 0 }
    const ended = this.#follow(number, walk)
    const running = Object.assign(walk, { ended })
    this.#walks.set(revision.commit, running)
    const forget = () => {
      this.#walks.delete(revision.commit)
    }
    ended.then(forget, forget)
    return running
  }

  async #follow(last: number, walk: { reached: number }): Promise<LineOrigins> {
    const { history, script } = this.#deps
    const mark = this.#nearest(last)
    const first = mark ? this.#revision(mark.number) : null
    let origins: LineOrigins = mark?.origins ?? new Int32Array()
    let before = first ? await history.readDocument(first) : new Uint8Array()
    const start = mark?.number ?? history.beginningOf(last) - 1
    for (let number = start + 1; number <= last && !this.#closed; number += 1) {
      const revision = this.#revision(number)
      if (revision === null) break
      const after = await history.readDocument(revision)
      origins = carryOrigins(origins, await script(before, after), number)
      before = after
      walk.reached = number
      if (number % STRIDE === 0 || number === last) {
        this.#keep({ number, commit: revision.commit, origins })
      }
    }
    return origins
  }

  /** The newest mark up to a revision whose commit has not been rewritten. */
  #nearest(last: number): Mark | null {
    const first = this.#deps.history.beginningOf(last)
    const marks = [...this.#marks.values()].filter(
      ({ number }) => number >= first && number <= last,
    )
    for (const mark of marks.toSorted((one, other) => other.number - one.number)) {
      if (this.#revision(mark.number)?.commit === mark.commit) return mark
      this.#forget(mark)
    }
    return null
  }

  #revision(number: number): Revision | null {
    return this.#deps.history.at(number)
  }

  #keep(mark: Mark): void {
    const old = this.#marks.get(mark.number)
    if (old) this.#forget(old)
    this.#marks.set(mark.number, mark)
    this.#kept += mark.origins.length
    for (const oldest of this.#marks.values()) {
      if (this.#kept <= MOST_KEPT || oldest === mark) return
      this.#forget(oldest)
    }
  }

  #forget(mark: Mark): void {
    this.#marks.delete(mark.number)
    this.#kept -= mark.origins.length
  }
}

/** The value if it arrives within so many milliseconds, else null. */
async function firstWithin<Value>(value: Promise<Value>, patience: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, patience, null)
  })
  try {
    return await Promise.race([value, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
