import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { Compute } from '../../../src/configuration/save/save-group.ts'
import {
  type ChangeOptions,
  ConfigurationWriter,
} from '../../../src/configuration/save/configuration-writer.ts'
import {
  History,
  type HistoryOptions,
  type Inspection,
  type StoredDocument,
} from '../../../src/history/history.ts'
import type { Inspect } from '../../../src/history/revision/inspection.ts'
import type { Examine, Prepare } from '../../../src/history/revision/prepared-change.ts'
import { commitFile, gitBytes, identityOf } from '../git/git.ts'
import { TempFolder } from '../disk/temp-folder.ts'

const START = 1_700_000_000_000

/** A document of the small language that these tests use: a name, and a version of the schema. */
export function documentOf(name: string, schemaVersion = 139): string {
  return `<cruise schemaVersion="${schemaVersion}">\n  ${name}\n</cruise>\n`
}

/** Valid is what begins and ends like a configuration; a plain password is sealed. */
export async function inspect(document: Uint8Array): Promise<Inspection> {
  const text = Buffer.from(document).toString('utf8')
  const version = /^<cruise schemaVersion="(\d+)">\n/.exec(text)?.[1]
  if (version === undefined || !text.endsWith('</cruise>\n')) {
    const line = text.split('\n').length
    return { ok: false, problems: [{ message: 'The root element is not closed', line, column: 1 }] }
  }
  const sealed = Buffer.from(text.replaceAll(/ password="[^"]*"/g, ' encryptedPassword="sealed"'))
  return { ok: true, document: sealed, schemaVersion: Number(version) }
}

/** Judges a document as the next one, and says of its size what a commit says. */
export function preparingBy(judge: Inspect): Prepare {
  return async (document, before) => {
    const inspection = await judge(document)
    if (!inspection.ok) return inspection
    const subject = `From ${before?.length ?? 0} to ${inspection.document.length} bytes`
    return { ...inspection, subject }
  }
}

/** A folder for one repository, the histories opened on it, and git to judge them. */
export class HistoryFolder implements AsyncDisposable {
  readonly events: string[] = []
  readonly #folder = new TempFolder()
  readonly #defaults: Partial<HistoryOptions>
  #now = START
  #open: History[] = []

  constructor(defaults: Partial<HistoryOptions> = {}) {
    this.#defaults = defaults
  }

  get path(): string {
    return this.#folder.file('config-repo')
  }

  file(name: string): string {
    return `${this.path}/${name}`
  }

  async open(over: Partial<HistoryOptions> = {}): Promise<History> {
    const options = this.options(over)
    const history = await History.open(options)
    WRITERS.set(history, writerOf(history, options.prepare))
    this.#open.push(history)
    return history
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = []
    for (const history of open) await history[Symbol.asyncDispose]()
  }

  async reopen(over: Partial<HistoryOptions> = {}): Promise<History> {
    await this.close()
    return this.open(over)
  }

  options(over: Partial<HistoryOptions> = {}): HistoryOptions {
    const judge = over.inspect ?? this.#defaults.inspect ?? inspect
    return {
      repository: this.path,
      fileName: 'config.xml',
      inspect: judge,
      prepare: preparingBy(judge),
      firstDocument: () => Buffer.from(documentOf('first')),
      serverEdition: 'OpenSource',
      serverVersion: '1.0.0',
      clock: () => (this.#now += 1000),
      pollInterval: 60_000,
      report: ({ message }) => void this.events.push(message),
      programPath: process.env.PATH,
      ...this.#defaults,
      ...over,
    }
  }

  git(...args: string[]): string {
    return gitBytes(this.path, args, { env: identityOf('native') }).toString()
  }

  /** A commit made with git beside the service. */
  commit(document: string, message = 'By hand'): string {
    this.write(document)
    const env = identityOf('native')
    return commitFile(this.path, { name: 'config.xml', message, env })
  }

  /** Begins with what another one has, where it is prepared and closed. */
  copy({ path }: HistoryFolder): void {
    if (existsSync(path)) cpSync(path, this.path, { recursive: true, preserveTimestamps: true })
  }

  /** An ordinary repository that the service has never seen. */
  init(branch = 'main'): void {
    mkdirSync(this.path, { recursive: true })
    const format = `--object-format=${this.#defaults.objectFormat ?? 'sha1'}`
    this.git('init', '--quiet', `--initial-branch=${branch}`, format)
  }

  write(document: string, name = 'config.xml'): void {
    if (!existsSync(this.path)) mkdirSync(this.path, { recursive: true })
    writeFileSync(this.file(name), document)
  }

  live(): string {
    return this.read('config.xml')
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8')
  }

  remove(name: string): void {
    rmSync(this.file(name), { recursive: true, force: true })
  }

  names(): string[] {
    return readdirSync(this.path)
  }

  /** Faults of the repository or its work tree, according to git. */
  complaints(): string {
    return this.git('fsck', '--strict', '--no-dangling') + this.git('status', '--porcelain')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
    this.#folder[Symbol.dispose]()
  }
}

const sealForReaders = async ({ document }: StoredDocument) => document

const WRITERS = new WeakMap<History, ConfigurationWriter>()

function writerOf(history: History, prepare: Prepare): ConfigurationWriter {
  const examine: Examine = (document, before) =>
    prepare(
      document,
      before,
      { door: 'live-file', author: '' },
      { findBeside: async () => null, message: '' },
    )
  return new ConfigurationWriter({ history, examine, prepare, sealForReaders })
}

/** Changes the configuration as the service does. */
export function change(
  history: History,
  author: string,
  compute: Compute,
  options: ChangeOptions = {},
) {
  const writer = WRITERS.get(history) ?? writerOf(history, preparingBy(inspect))
  WRITERS.set(history, writer)
  return writer.change({ door: 'live-file', author }, compute, options)
}

export function save(history: History, document: string, author = 'ana') {
  return change(history, author, async () => Buffer.from(document))
}
