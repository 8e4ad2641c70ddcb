import type { Revision } from '../../core/revision.ts'
import { EntryKeys, keyOf } from './entry-keys.ts'
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
 * the newest of maybe a million.
 */
export class IndexLine implements IndexSegment {
  readonly keys: EntryKeys
  readonly #facts: Buffer

  constructor(line: Buffer) {
    const end = line.indexOf(' ')
    this.keys = new EntryKeys(line.subarray(0, end))
    this.#facts = line.subarray(end + 1)
  }

  readRevisions(): readonly (Revision | null)[] {
    const rows: unknown = JSON.parse(this.#facts.toString('utf8'))
    if (!Array.isArray(rows)) throw new TypeError('The index has another form')
    return rows.map((facts: unknown, row) => {
      const [commit, digest] = [this.keys.commitAt(row), this.keys.digestAt(row)]
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
