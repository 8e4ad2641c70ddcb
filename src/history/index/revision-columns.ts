import {
  type Revision,
  REVISION_KINDS,
  type RevisionKind,
  revisionKindOf,
} from '../../core/revision.ts'
import { bisect } from '../../lib/bisect.ts'
import { NumberList } from '../../lib/compact/number-list.ts'
import { type CooperativeWork, runCooperatively, runSync } from '../../lib/cooperative.ts'

/** An author, and the origin of what came from them. */
export interface Authorship {
  readonly username: string
  readonly kind: RevisionKind
}

/** The authors and times of revisions that follow each other, oldest first. */
export interface AuthorColumns {
  readonly authors: readonly Authorship[]
  /** By revision, the place of its author in that list. */
  readonly authorOf: readonly number[]
  /** By revision, the difference of its time to the one before; the first, to 0. */
  readonly steps: readonly number[]
}

/** The wanted authors, and the first and the last wanted moment; null for no limit. */
export interface WantedColumns {
  readonly isBy: (author: Authorship) => boolean
  readonly since: number | null
  readonly until: number | null
}

interface ColumnSource {
  readColumns(): AuthorColumns
}

export function columnsOf(revisions: readonly (Revision | null)[]): AuthorColumns {
  const numbers = new AuthorNumbers()
  const listed = revisions.filter((revision) => revision !== null)
  const authorOf = listed.map(({ username, serverVersion }) => {
    return numbers.of({ username, kind: revisionKindOf({ username, serverVersion }) })
  })
  const steps = listed.map(({ time }, n) => time - (listed[n - 1]?.time ?? 0))
  return { authors: numbers.authors, authorOf, steps }
}

export function renderColumns({ authors, authorOf, steps }: AuthorColumns): string {
  return JSON.stringify([authors.map(({ username, kind }) => [username, kind]), authorOf, steps])
}

/** @throws {TypeError} for a text in another form. */
export function parseColumns(text: string): AuthorColumns {
  const parsed: unknown = JSON.parse(text)
  if (!isColumns(parsed)) throw new TypeError('The index has another form')
  const [authors, authorOf, steps] = parsed
  return { authors: authors.map(([username, kind]) => ({ username, kind })), authorOf, steps }
}

type Columns = readonly [
  authors: readonly (readonly [username: string, kind: RevisionKind])[],
  authorOf: readonly number[],
  steps: readonly number[],
]

/** The numbers are not looked at: the line has a checksum, and there may be a million. */
function isColumns(value: unknown): value is Columns {
  if (!Array.isArray(value)) return false
  const [authors, authorOf, steps] = value
  return [authors, authorOf, steps].every(Array.isArray) && authors.every(isAuthor)
}

function isAuthor(value: unknown): boolean {
  return Array.isArray(value) && REVISION_KINDS.includes(value[1])
}

/**
 * The author and the time of each revision of the list, in typed arrays, so that revisions are counted
 * and selected by these without being parsed. The first question takes the columns of all segments,
 * each later one those that came since: 12 to 16 bytes a revision. A place is the number of older revisions.
 */
export class RevisionColumns {
  readonly #segments: readonly ColumnSource[]
  readonly #numbers = new AuthorNumbers()
  readonly #authorOf = new NumberList()
  readonly #times = new NumberList(Float64Array)
  /** The places of revisions that are older than all that follow them: their times ascend. */
  readonly #ascending = new NumberList()
  /** By author, the number of their revisions. */
  readonly #counts: number[] = []
  #taken = 0

  /** @param segments to which others are added. */
  constructor(segments: readonly ColumnSource[]) {
    this.#segments = segments
  }

  /** Takes the columns of all segments in time slices: no question waits for more than the newest then. */
  load(): Promise<void> {
    return runCooperatively(this.#steps())
  }

  /** How many revisions each author has. */
  counts(): readonly (Authorship & { readonly revisions: number })[] {
    this.#grow()
    return this.#numbers.authors.map((author, n) => ({
      ...author,
      revisions: this.#counts[n] ?? 0,
    }))
  }

  /** The time of each revision, oldest first. */
  times(): ArrayLike<number> {
    this.#grow()
    return this.#times.view()
  }

  /** The place of the newest revision that is no younger than a moment; null before the first. */
  lastUntil(moment: number): number | null {
    this.#grow()
    const timeOf = (n: number) => this.#times.at(this.#ascending.at(n) ?? 0) ?? 0
    const after = bisect({ high: this.#ascending.length }, (n) => timeOf(n) <= moment)
    return this.#ascending.at(after - 1) ?? null
  }

  /** The places of the wanted revisions, oldest first. */
  select(wanted: WantedColumns): NumberList {
    const isWanted = this.#tester(wanted)
    const [count, places] = [this.#times.length, new NumberList()]
    for (let place = 0; place < count; place += 1) if (isWanted(place)) places.push(place)
    return places
  }

  /** The same, newest first, each looked for when it is asked for. */
  *newest(wanted: WantedColumns): Generator<number, void> {
    const isWanted = this.#tester(wanted)
    for (let place = this.#times.length - 1; place >= 0; place -= 1)
      if (isWanted(place)) yield place
  }

  #tester({ isBy, since, until }: WantedColumns): (place: number) => boolean {
    this.#grow()
    const isWanted = Uint8Array.from(this.#numbers.authors, (author) => (isBy(author) ? 1 : 0))
    const [times, authorOf] = [this.#times.view(), this.#authorOf.view()]
    const [from, to] = [since ?? Number.NEGATIVE_INFINITY, until ?? Number.POSITIVE_INFINITY]
    return (place) => {
      const time = times[place] ?? 0
      return isWanted[authorOf[place] ?? 0] === 1 && from <= time && time <= to
    }
  }

  #grow(): void {
    if (this.#taken < this.#segments.length) runSync(this.#steps())
  }

  /** A step does not pause within a segment, so that two that run at once take each of them once. */
  *#steps(): CooperativeWork<void> {
    while (this.#taken < this.#segments.length) {
      const segment = this.#segments[this.#taken]
      this.#taken += 1
      if (segment !== undefined) this.#take(segment.readColumns())
      yield
    }
  }

  #take({ authors, authorOf, steps }: AuthorColumns): void {
    const numbers = authors.map((author) => this.#numbers.of(author))
    for (const author of authorOf) {
      const number = numbers[author] ?? 0
      this.#authorOf.push(number)
      this.#counts[number] = (this.#counts[number] ?? 0) + 1
    }
    let time = 0
    for (const step of steps) this.#takeTime((time += step))
  }

  #takeTime(time: number): void {
    const ascending = this.#ascending
    const last = () => ascending.at(ascending.length - 1)
    for (let place = last(); place !== undefined; place = last()) {
      if ((this.#times.at(place) ?? 0) < time) break
      ascending.pop()
    }
    ascending.push(this.#times.length)
    this.#times.push(time)
  }
}

/** Numbers authors in the order in which they come. */
class AuthorNumbers {
  readonly authors: Authorship[] = []
  readonly #numbers = new Map<string, number>()

  of(author: Authorship): number {
    const key = `${author.kind} ${author.username}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.authors.push(author) - 1
    this.#numbers.set(key, number)
    return number
  }
}
