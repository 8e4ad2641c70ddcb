import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DocumentChange } from '../../src/document/entities/change.ts'
import { ChangesFile } from '../../src/index/changes-file.ts'
import { changesOfRevision } from '../../src/index/revision-changes.ts'
import {
  ChangedTextFile,
  type TextRecord,
} from '../../src/index/changed-text-file.ts'
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
/** Records that are written at once. */
const AT_ONCE = 5_000

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

function* changing(documentSize: number, revisions: number): Generator<string> {
  const lines = documentOfSize(documentSize)
  const places = lines.flatMap((line, place) => (line.includes('<git url') ? [place] : []))
  for (let n = 0; n < revisions; n += 1) {
    const place = places[(n * 7) % places.length] ?? 0
    lines[place] = gitLine(nameOf(n))
    yield lines.join('\n')
  }
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

/**
 * Writes the changes of the revisions of {@link makeHistory} in the pipelines of its documents, and
 * their text.
 */
export async function writeAllFound(folder: string, state: string, size: number): Promise<void> {
  const places = documentOfSize(size).filter((line) => line.includes('<git url')).length
  await writeChanges(folder, join(state, 'revision-changes'), (n) =>
    n === 0 ? [] : [changeOf(n, places)],
  )
  const file = new ChangedTextFile(join(state, 'revision-texts'))
  let records: TextRecord[] = []
  for (const [names, n] of commitsOf(folder)) {
    const [before, after] = [n - places, n].map((each) => Buffer.from(`${gitLine(nameOf(each))}\n`))
    records.push({ ...names, places: before && after && n > 0 ? [{ before, after }] : [] })
    if (records.length < AT_ONCE) continue
    await file.append(records)
    records = []
  }
  await file.append(records)
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

/** Each commit with the one before it, and how many are older; newest first. */
function* commitsOf(folder: string) {
  const log = git(folder, 'log', '--format=%H %P').trim().split('\n')
  for (const [place, line] of log.entries()) {
    const [commit, previous] = line.split(' ')
    const names = {
      commit: CommitSha.parse(commit),
      previous: previous ? CommitSha.parse(previous) : null,
    }
    yield [names, log.length - 1 - place] as const
  }
}

/**
 * Writes what a service that has run for a while has found out about each revision, or it would
 * find that out in the background of what is measured.
 */
export async function writeChanges(
  folder: string,
  file: string,
  changesOf: (n: number) => readonly DocumentChange[] = () => [],
): Promise<void> {
  const told = function* () {
    for (const [names, n] of commitsOf(folder)) yield changesOfRevision(names, changesOf(n))
  }
  await new ChangesFile(file).write([], told)
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
