import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DocumentChange } from '../../src/document/entities/change.ts'
import { editScript } from '../../src/diff/edit-script.ts'
import { indexFormat } from '../../src/index/history-index.ts'
import { IndexDatabase } from '../../src/index/database/index-database.ts'
import { IndexTables, recordOf, type StepRecord } from '../../src/index/tables/index-tables.ts'
import type { Step } from '../../src/index/tables/step.ts'
import { INDEX_FILE } from '../../src/server/open-configuration.ts'
import { CommitSha } from '../../src/core/revision.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'

export interface HistoryShape {
  readonly folder: string
  readonly revisions: number
  /** Size of each document, in bytes; reached within a pipeline's length. */
  readonly documentSize: number
}

/** When the first revision was made; each of the others came a minute after the one before. */
const EPOCH = 1_400_000_000
/**
 * Makes a packed repository with a long history, as the service itself would have written it, with
 * chains of deltas as maintenance keeps them: each revision changes one line of the document.
 *
 * @returns the digests, oldest first.
 */
export function makeHistory({ folder, revisions, documentSize }: HistoryShape): Promise<string[]> {
  return importDocuments({ folder, documents: changing(documentSize, revisions) })
}

export interface ImportedDocuments {
  readonly folder: string
  /** Oldest first. */
  readonly documents: Iterable<string>
  /** How many revisions a pack holds; one pack holds them all when not given. */
  readonly packEvery?: number
}

/** Makes a repository with these documents as its history, and gives their digests. */
export async function importDocuments({
  folder,
  documents,
  packEvery = Infinity,
}: ImportedDocuments): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q', '-b', 'main')
  const importer = spawn('git', ['-C', folder, 'fast-import', '--quiet', '--depth=20'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const digests: string[] = []
  for (const document of documents) {
    const digest = createHash('md5').update(document).digest('hex')
    const n = digests.push(digest) - 1
    const end = n % packEvery === packEvery - 1 ? 'checkpoint\n' : ''
    const commit = commitOf(n, document, digest) + end
    if (!importer.stdin.write(commit)) await once(importer.stdin, 'drain')
  }
  importer.stdin.end()
  await once(importer, 'close')
  git(folder, 'reset', '-q', '--hard')
  return digests
}

function* changing(documentSize: number, revisions: number): Generator<string, undefined> {
  for (const lines of changingLines(documentSize, { start: 0, end: revisions }))
    yield lines.join('\n')
  return undefined
}

/** The lines of the documents from one revision to another, always the same list. */
function* changingLines(
  documentSize: number,
  { start, end }: { readonly start: number; readonly end: number },
): Generator<readonly string[], undefined> {
  const lines = documentOfSize(documentSize)
  const places = lines.flatMap((line, place) => (line.includes('<git url') ? [place] : []))
  const change = (n: number) => {
    lines[places[(n * 7) % places.length] ?? 0] = gitLine(nameOf(n))
  }
  for (let n = Math.max(0, start - places.length); n < start; n += 1) change(n)
  for (let n = start; n < end; n += 1) {
    change(n)
    yield lines
  }
  return undefined
}

function documentOfSize(size: number): string[] {
  const one = documentWith('pipeline-00000').length - documentWith().length
  const count = Math.max(1, Math.round((size - documentWith().length) / one))
  const names = Array.from({ length: count }, (_, n) => `pipeline-${String(n).padStart(5, '0')}`)
  const lines = documentWith(...names).split('\n')
  return lines.map((line) => (line.includes('<git url') ? gitLine('start') : line))
}

function nameOf(n: number): string {
  return `change-${n}`
}

/** Materials that are polled would start git commands beside what is measured. */
function gitLine(name: string): string {
  return `        <git url="https://example.org/${name}.git" autoUpdate="false" />`
}

/** The changes of the revisions of {@link makeHistory} in the pipelines of their documents. */
export function changesIn(documentSize: number): (n: number) => readonly DocumentChange[] {
  const places = documentOfSize(documentSize).filter((line) => line.includes('<git url')).length
  return (n) => (n === 0 ? [] : [changeOf(n, places)])
}

function changeOf(n: number, places: number): DocumentChange {
  const name = `pipeline-${String(Math.floor(((n * 7) % places) / 2)).padStart(5, '0')}`
  return {
    kind: 'changed',
    entity: `pipeline/${name}`,
    label: name,
    path: ['material git'],
    subject: 'url',
    from: `https://example.org/${nameOf(n - places)}.git`,
    to: `https://example.org/${nameOf(n)}.git`,
    before: { first: 12, last: 12 },
    after: { first: 12, last: 12 },
  }
}

/** Rows that are written at once. */
const AT_ONCE = 5_000

/**
 * Writes what a service that has run for a while has found out about each revision of {@link makeHistory},
 * or it would find that out in the background of what is measured.
 */
export async function writeIndex(
  { folder, revisions, documentSize }: HistoryShape,
  state: string,
  changesOf: (n: number) => readonly DocumentChange[] = () => [],
): Promise<void> {
  const commits = git(folder, 'log', '--reverse', '--format=%H').trim().split('\n')
  const file = join(state, INDEX_FILE)
  const options = {
    file,
    format: indexFormat([{ first: 1 }]),
    tables: IndexTables.statements,
    log: () => {},
  }
  await using database = new IndexDatabase(options)
  const tables = new IndexTables(database)
  const stepAt = (n: number, before: Buffer, after: Buffer): Step => {
    const scripts = [editScript(before, after)]
    const bases = n === 0 ? [] : [n]
    const place = { number: n + 1, isClosed: true, isListed: true, bases, groups: new Map() }
    return { ...place, commit: CommitSha.parse(commits[n]), changes: changesOf(n), scripts }
  }
  // As a walk does, which begins with the newest.
  for (let end = revisions; end > 0; end -= AT_ONCE) {
    const start = Math.max(0, end - AT_ONCE)
    const records: StepRecord[] = []
    let before: Buffer | null = start === 0 ? Buffer.alloc(0) : null
    const span = { start: Math.max(0, start - 1), end }
    for (const lines of changingLines(documentSize, span)) {
      const after = Buffer.from(lines.join('\n'))
      if (before !== null) records.push(recordOf(stepAt(start + records.length, before, after)))
      before = after
    }
    await database.write(function* () {
      yield* tables.put(records)
      tables.revisions.putWalked([{ low: start + 1, high: revisions }])
    })
  }
}

function commitOf(n: number, document: string, digest: string): string {
  const seconds = EPOCH + n * 60
  const message = [
    `Change pipeline ${n}`,
    '',
    `Config-MD5: ${digest}`,
    `Config-Time: ${seconds * 1_000}`,
    'Schema-Version: 75',
    'Server-Edition: OpenSource',
    'Server-Version: 0.1.0',
    '',
  ].join('\n')
  return [
    'commit refs/heads/main',
    `author user${n % 12} <user${n % 12}@localhost> ${seconds} +0000`,
    `committer Cairn <cairn@localhost> ${seconds} +0000`,
    `data ${Buffer.byteLength(message)}`,
    message,
    'M 100644 inline config.xml',
    `data ${Buffer.byteLength(document)}`,
    document,
    '',
  ].join('\n')
}
