import type { Revision } from '../../core/revision.ts'
import { EntryKeys, keyLengthIn, keyOf } from './entry-keys.ts'
import type { IndexEntry, IndexSegment } from './revision-index.ts'

/** Facts of a revision in the order of `factsOf`. */
type Facts = readonly [string, number, number, string, string, string, string]
const FACTS = ['string', 'number', 'number', 'string', 'string', 'string', 'string'] as const

/** Renders entries as one line of text: the key of each, then the facts of all. */
export function renderEntries(entries: readonly IndexEntry[]): string {
  return `${entries.map(keyOf).join('')} ${JSON.stringify(entries.map(factsOf))}`
}

function factsOf({ revision }: IndexEntry): Facts | null {
  if (revision === null) return null
  const { username, time, schemaVersion, serverEdition, serverVersion, subject, message } = revision
  return [username, time, schemaVersion, serverEdition, serverVersion, subject, message]
}

/**
 * The entries of such a line. Their revisions are parsed when one is asked for: a start needs only
 * the newest of maybe a hundred thousand.
 */
export class IndexLine implements IndexSegment {
  readonly keys: Buffer
  readonly length: number
  readonly #facts: Buffer
  #revisions: readonly (Revision | null)[] | null = null

  constructor(line: Buffer) {
    const end = line.indexOf(' ')
    this.keys = line.subarray(0, end)
    this.length = end / keyLengthIn(this.keys)
    this.#facts = line.subarray(end + 1)
  }

  revisionAt(row: number): Revision | null {
    this.#revisions ??= this.#read()
    return this.#revisions[row] ?? null
  }

  #read(): readonly (Revision | null)[] {
    const rows: unknown = JSON.parse(this.#facts.toString('utf8'))
    if (!Array.isArray(rows)) throw new TypeError('The index has another form')
    const keys = new EntryKeys()
    keys.append(this.keys)
    return rows.map((facts: unknown, row) => {
      const [commit, digest] = [keys.commitAt(row), keys.digestAt(row)]
      if (digest === null) return null
      if (!isFacts(facts)) throw new TypeError('The index has another form')
      const [username, time, schemaVersion, serverEdition, serverVersion, subject, message] = facts
      const server = { schemaVersion, serverEdition, serverVersion }
      return { digest, commit, username, time, ...server, subject, message }
    })
  }
}

/** Checked by hand: zod would take too long for a hundred thousand of them at a start. */
function isFacts(value: unknown): value is Facts {
  if (!Array.isArray(value) || value.length !== FACTS.length) return false
  return FACTS.every((type, place) => typeof value[place] === type)
}
