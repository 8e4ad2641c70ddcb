import type { Revision } from '../../core/revision.ts'
import { EntryHeads, HEAD_LENGTH, headOf } from './entry-heads.ts'
import type { IndexEntry, IndexSegment } from './revision-index.ts'

/** Facts of a revision in the order of `factsOf`. */
type Facts = readonly [string, number, number, string, string, string]
const FACTS = ['string', 'number', 'number', 'string', 'string', 'string'] as const

/** Entries as one line of text: what each is found by, then the facts of all. */
export function renderEntries(entries: readonly IndexEntry[]): string {
  return `${entries.map(headOf).join('')} ${JSON.stringify(entries.map(factsOf))}`
}

function factsOf({ revision }: IndexEntry): Facts | null {
  if (revision === null) return null
  const { username, time, schemaVersion, serverEdition, serverVersion, subject } = revision
  return [username, time, schemaVersion, serverEdition, serverVersion, subject]
}

/**
 * Entries as such a line has them. What it says of their revisions is read when somebody asks for
 * one: a start needs the newest and may not wait for a hundred thousand others.
 */
export class KeptLine implements IndexSegment {
  readonly heads: Buffer
  readonly length: number
  readonly #facts: Buffer
  #revisions: readonly (Revision | null)[] | null = null

  constructor(line: Buffer) {
    const end = line.indexOf(' ')
    this.heads = line.subarray(0, end)
    this.length = end / HEAD_LENGTH
    this.#facts = line.subarray(end + 1)
  }

  revisionAt(row: number): Revision | null {
    this.#revisions ??= this.#read()
    return this.#revisions[row] ?? null
  }

  #read(): readonly (Revision | null)[] {
    const rows: unknown = JSON.parse(this.#facts.toString('utf8'))
    if (!Array.isArray(rows)) throw new TypeError('The index has another form')
    const heads = new EntryHeads()
    heads.append(this.heads)
    return rows.map((facts: unknown, row) => {
      const [commit, digest] = [heads.commitAt(row), heads.digestAt(row)]
      if (digest === null) return null
      if (!isFacts(facts)) throw new TypeError('The index has another form')
      const [username, time, schemaVersion, serverEdition, serverVersion, subject] = facts
      const server = { schemaVersion, serverEdition, serverVersion }
      return { digest, commit, username, time, ...server, subject }
    })
  }
}

/** By hand: zod takes longer for a hundred thousand of them than a start may last. */
function isFacts(value: unknown): value is Facts {
  if (!Array.isArray(value) || value.length !== FACTS.length) return false
  return FACTS.every((type, place) => typeof value[place] === type)
}
