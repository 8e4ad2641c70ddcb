import type { Digest } from '../core/digest.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { IndexEntry } from './revision-index.ts'

/** Facts of a revision in the order of `factsOf`. */
type Facts = readonly [string, number, number, string, string, string]
const FACTS = ['string', 'number', 'number', 'string', 'string', 'string'] as const

const COMMIT_LENGTH = 40
const DIGEST_LENGTH = 32
/** Commit, whether it is a cut, digest. */
const HEAD_LENGTH = COMMIT_LENGTH + 1 + DIGEST_LENGTH
const CUT = '+'
const NO_CUT = '-'
const NO_DIGEST = '-'.repeat(DIGEST_LENGTH)

/** Entries as one line of text: the head of each, all of one length, and then the facts of all. */
export function renderEntries(entries: readonly IndexEntry[]): string {
  return `${entries.map(headOf).join('')} ${JSON.stringify(entries.map(factsOf))}`
}

/**
 * The entries of such a line. What it says of their revisions is read when somebody asks for one: a
 * start needs the newest and may not wait for a hundred thousand others.
 */
export function parseEntries(line: Buffer): readonly IndexEntry[] {
  return new KeptLine(line).entries
}

function headOf({ commit, isCut, digest }: IndexEntry): string {
  return `${commit}${isCut ? CUT : NO_CUT}${digest ?? NO_DIGEST}`
}

function factsOf({ revision }: IndexEntry): Facts | null {
  if (revision === null) return null
  const { username, time, schemaVersion, serverEdition, serverVersion, subject } = revision
  return [username, time, schemaVersion, serverEdition, serverVersion, subject]
}

class KeptLine {
  readonly entries: readonly KeptEntry[]
  readonly #facts: Buffer
  #revisions: readonly (Revision | null)[] | null = null

  constructor(line: Buffer) {
    const end = line.indexOf(' ')
    const heads = line.toString('latin1', 0, end)
    const at = (row: number) => heads.slice(row * HEAD_LENGTH, (row + 1) * HEAD_LENGTH)
    const count = end / HEAD_LENGTH
    this.entries = Array.from({ length: count }, (_, row) => new KeptEntry(this, at(row), row))
    this.#facts = line.subarray(end + 1)
  }

  revisionAt(row: number): Revision | null {
    this.#revisions ??= this.#read()
    return this.#revisions[row] ?? null
  }

  #read(): readonly (Revision | null)[] {
    const rows: unknown = JSON.parse(this.#facts.toString('utf8'))
    if (!Array.isArray(rows)) throw new TypeError('The index has another form')
    return this.entries.map(({ commit, digest }, row) => {
      const facts: unknown = rows[row]
      if (digest === null) return null
      if (!isFacts(facts)) throw new TypeError('The index has another form')
      const [username, time, schemaVersion, serverEdition, serverVersion, subject] = facts
      const server = { schemaVersion, serverEdition, serverVersion }
      return { digest, commit, username, time, ...server, subject }
    })
  }
}

class KeptEntry implements IndexEntry {
  readonly commit: CommitSha
  readonly digest: Digest | null
  readonly isCut: boolean
  readonly #line: KeptLine
  readonly #row: number

  constructor(line: KeptLine, head: string, row: number) {
    this.commit = commitIn(head)
    this.isCut = head[COMMIT_LENGTH] === CUT
    this.digest = digestIn(head)
    this.#line = line
    this.#row = row
  }

  get revision(): Revision | null {
    return this.digest === null ? null : this.#line.revisionAt(this.#row)
  }
}

function commitIn(head: string): CommitSha {
  const name = head.slice(0, COMMIT_LENGTH)
  if (isCommit(name)) return name
  throw new TypeError('The index has another form')
}

function digestIn(head: string): Digest | null {
  const name = head.slice(COMMIT_LENGTH + 1)
  if (name === NO_DIGEST) return null
  if (isDigest(name)) return name
  throw new TypeError('The index has another form')
}

/** By their lengths: the checksum of the line says that they are what was written. */
function isCommit(name: string): name is CommitSha {
  return name.length === COMMIT_LENGTH
}

function isDigest(name: string): name is Digest {
  return name.length === DIGEST_LENGTH
}

/** By hand: zod takes longer for a hundred thousand of them than a start may last. */
function isFacts(value: unknown): value is Facts {
  if (!Array.isArray(value) || value.length !== FACTS.length) return false
  return FACTS.every((type, place) => typeof value[place] === type)
}
