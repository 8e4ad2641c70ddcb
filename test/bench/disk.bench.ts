import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationWriter } from '../../src/configuration/save/configuration-writer.ts'
import { History, type MaintenanceLimits, type StoredDocument } from '../../src/history/history.ts'
import type { Examine } from '../../src/history/revision/prepared-change.ts'
import { measureRepository } from '../../src/history/upkeep/repository-size.ts'
import { documentWith } from '../support/documents/documents.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { Dice } from './documents.ts'
import { importDocuments } from './make-history.ts'

/** A pack holds what lies loose before the service packs it. */
const REVISIONS_IN_A_PACK = 330
const ACCEPTED = { ok: true, schemaVersion: 75 } as const
const CHANGEABLE = /<git url|<exec command/

export const cases: readonly BenchCase[] = [
  {
    name: 'disk: 10,000 revisions of 1 MB, when they take the most',
    must: { atMost: 100, unit: 'MB' },
    measure: diskOfMany,
  },
]

/**
 * The first revisions come in packs as the service leaves them, made by `git fast-import`, which
 * takes more room for them than `git repack` does; the rest are saved one by one, and the service
 * packs when it wants to. What lies there is weighed after every few saves.
 */
async function diskOfMany({ quick, folder }: BenchRun) {
  const [all, saved] = quick ? [200, 40] : [10_000, 400]
  const repository = join(folder, 'config-repo')
  const document = new ChangingDocument(quick ? 50_000 : 1_000_000)
  const documents = document.take(all - saved)
  await importDocuments({ folder: repository, documents, packEvery: REVISIONS_IN_A_PACK })
  const imported = await megabytesIn(repository)

  const [packed, highest] = await saveMany(repository, document.take(saved))
  const [end, packs] = await packAll(repository)
  const facts = {
    'imported, MB': imported,
    'then packed, MB': packed,
    'all packed, MB': end,
    packs,
    'KB for each that was saved': ((end - packed) / saved) * 1e3,
  }
  return { value: Math.max(imported, packed, highest), facts }
}

/** Gives the megabytes before the first save, and the most that were seen later. */
async function saveMany(
  repository: string,
  documents: Iterable<string>,
): Promise<[packed: number, highest: number]> {
  await using history = await openHistory(repository)
  await using writer = new ConfigurationWriter({
    history,
    examine,
    prepare: examine,
    sealForReaders,
  })
  await history.maintain()
  const packed = await megabytesIn(repository)
  let [saves, highest] = [0, 0]
  for (const document of documents) {
    saves += 1
    const origin = { door: 'live-file', author: `user${saves % 12}` } as const
    await writer.change(origin, async () => Buffer.from(document))
    if (saves % 10 === 0) highest = Math.max(highest, await megabytesIn(repository))
  }
  return [packed, highest]
}

async function packAll(repository: string): Promise<[megabytes: number, packs: number]> {
  const packWhen = { looseObjects: 1, looseBytes: 1, packs: 1 }
  await using history = await openHistory(repository, packWhen)
  await history.maintain()
  return [await megabytesIn(repository), history.storage()?.packs ?? NaN]
}

const sealForReaders = async ({ document }: StoredDocument) => document

const examine: Examine = async (document) => ({
  ...ACCEPTED,
  document,
  subject: 'Change the configuration',
})

function openHistory(repository: string, packWhen?: MaintenanceLimits): Promise<History> {
  return History.open({
    ...(packWhen ? { packWhen } : {}),
    repository,
    fileName: 'config.xml',
    inspect: async (document) => ({ ...ACCEPTED, document }),
    prepare: examine,
    firstDocument: () => Buffer.from(documentWith()),
    serverEdition: 'OpenSource',
    serverVersion: '0.1.0',
    clock: Date.now,
    pollInterval: 60_000,
    report: () => {},
    programPath: process.env['PATH'],
  })
}

async function megabytesIn(repository: string): Promise<number> {
  const store = { fs: nodeFs, gitDir: join(repository, '.git') }
  const { looseBytes, packBytes } = await measureRepository(store)
  return (looseBytes + packBytes) / 1e6
}

/** A document about as hard to compress as a real one, of which every revision changes a line anywhere. */
class ChangingDocument {
  readonly #dice = new Dice(7)
  readonly #lines: string[]
  readonly #places: readonly number[]

  constructor(bytes: number) {
    const one = documentWith('pipeline-00000000').length - documentWith().length
    const count = Math.round(bytes / one)
    const names = Array.from({ length: count }, () => `pipeline-${this.#word()}`)
    this.#lines = documentWith(...names).split('\n')
    this.#places = this.#lines.flatMap((line, place) => (CHANGEABLE.test(line) ? [place] : []))
    for (const place of this.#places) this.#change(place)
  }

  *take(revisions: number): Generator<string> {
    for (let n = 0; n < revisions; n += 1) {
      this.#change(this.#places[this.#dice.roll(this.#places.length)] ?? 0)
      yield this.#lines.join('\n')
    }
  }

  #change(place: number): void {
    const line = this.#lines[place] ?? ''
    const value = line.includes('<git') ? `https://example.org/${this.#word()}.git` : this.#word()
    this.#lines[place] = line.replace(/="[^"]*"/, `="${value}"`)
  }

  #word(): string {
    return this.#dice
      .roll(2 ** 24)
      .toString(16)
      .padStart(8, '0')
  }
}
