import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type ServiceError, unavailable } from '../../core/errors.ts'
import { describeFault } from '../../core/faults.ts'
import { importRepository } from '../../operations/import/import-repository.ts'
import { type OldAgent, parseOldAgents } from '../../operations/import/old-agents.ts'
import { reportOnly } from '../../operations/import/report-only.ts'
import { keysFileOf } from '../../operations/service-places.ts'
import { programPath, toolEnvironment } from '../../settings/environment.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { type ImportSettings, SETTINGS } from '../../settings/settings.ts'
import { VERSION } from '../../server/version.ts'
import { fsErrorCode } from '../../storage/fs-error.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { describeDocument, describeImport, jsonOfImport } from '../import-report.ts'
import { say, writeLog } from '../output.ts'
import { takeFile } from '../take-file.ts'
import type { WriteStream } from 'node:tty'

/** The file of the original's repositories. */
const USUAL_FILE = 'cruise-config.xml'
const MAX_AGENTS_BYTES = 64 * 1_048_576

/** Imports the history of another repository. The service must be stopped. */
export async function importCommand(args: readonly string[]): Promise<number> {
  const { file: from, flags } = takeFile(args, 'import', 'REPO')
  const settings = readSettings(SETTINGS.import, flags)
  return settings['report-only'] ? report(from, settings) : bringIn(from, settings)
}

async function bringIn(from: string, settings: ImportSettings): Promise<number> {
  const agents = settings.agents === null ? null : await readAgents(settings.agents)
  await actAsOwner(settings['config-repo'], settings['state-dir'])
  const places = {
    repository: resolve(settings['config-repo']),
    fileName: settings['config-file'],
    objectFormat: settings['object-format'],
    stateDir: resolve(settings['state-dir']),
    keysFile: keysFileOf(settings),
  }
  const sourceFile = settings.file ?? places.fileName
  const { branch, since, json } = settings
  using bar = new ProgressBar('commits')
  const imported = await importRepository({ from, branch, sourceFile, since, agents }, places, {
    clock: Date.now,
    log: writeLog,
    version: VERSION,
    programPath: programPath(),
    environment: toolEnvironment(),
    onProgress: (progress) => bar.show(progress),
  })
  bar[Symbol.dispose]()
  const of = { from, sourceFile }
  if (json) say(JSON.stringify(jsonOfImport(imported, of)))
  else for (const line of describeImport(imported, of)) say(line)
  return 0
}

/** Fails where the document is not valid: nothing of it could be brought in. */
async function report(
  from: string,
  { branch, file, json, 'config-file': configFile }: ImportSettings,
): Promise<number> {
  const sourceFiles = file === null ? [...new Set([configFile, USUAL_FILE])] : [file]
  const found = await reportOnly({ from, branch, sourceFiles }, toolEnvironment())
  if (json) say(JSON.stringify(found))
  else for (const line of describeDocument(found)) say(line)
  return found.errors.length === 0 ? 0 : 1
}

async function readAgents(file: string): Promise<readonly OldAgent[]> {
  try {
    if ((await stat(file)).size > MAX_AGENTS_BYTES) throw unusable('it is too large')
    return parseOldAgents(await readFile(file, 'utf8'))
  } catch (error) {
    const code = fsErrorCode(error)
    if (code === null) throw error
    throw unusable(code === 'ENOENT' ? 'it is not there' : describeFault(error))
  }
}

function unusable(why: string): ServiceError<'unavailable'> {
  return unavailable(`The file of agents cannot be used: ${why}`)
}

const WIDTH = 40
/** Milliseconds between two updates of the bar. */
const REDRAW_INTERVAL_MS = 100
/** The number of lines that report the progress where there is no terminal. */
const LINES = 10

/** Shows progress: a bar on a terminal, a few lines elsewhere. */
export class ProgressBar implements Disposable {
  readonly #out: Pick<WriteStream, 'isTTY' | 'write'>
  readonly #what: string
  #drawn = 0
  #part = 0

  constructor(what: string, out: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr) {
    this.#what = what
    this.#out = out
  }

  show({ done, total }: { readonly done: number; readonly total: number }): void {
    if (this.#out.isTTY) this.#draw(done, total)
    else this.#printLine(done, total)
  }

  /** Leaves the line to the next output. */
  [Symbol.dispose](): void {
    if (this.#out.isTTY && this.#drawn > 0) this.#out.write('\r\u001B[K')
  }

  #draw(done: number, total: number): void {
    const now = performance.now()
    if (done < total && now - this.#drawn < REDRAW_INTERVAL_MS) return
    this.#drawn = now
    const filled = Math.floor((WIDTH * done) / total)
    const bar = '#'.repeat(filled).padEnd(WIDTH, '.')
    this.#out.write(`\r\u001B[K[${bar}] ${done} of ${total} ${this.#what}`)
  }

  #printLine(done: number, total: number): void {
    const part = Math.floor((LINES * done) / total)
    if (part === this.#part) return
    this.#part = part
    this.#out.write(`cairn: ${done} of ${total} ${this.#what}\n`)
  }
}
