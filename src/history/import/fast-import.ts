import { once } from 'node:events'
import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { GitExecutable } from '../../git/git-executable.ts'
import { ended, type PipedProcess } from '../../processes/piped-process.ts'
import { renderSignature, type Signature } from '../../git/signature.ts'

/** A commit on its way into the repository; its parents are commits there, or numbers of earlier ones. */
export interface ImportedCommit {
  readonly parents: readonly string[]
  readonly author: Signature
  /** The author's, such as `+0100`. */
  readonly zone: string
  readonly committer: Signature
  readonly message: string
  readonly document: Uint8Array
}

export interface FastImportOptions {
  readonly git: GitExecutable
  readonly gitDir: string
  /** The ref that keeps what has been written. */
  readonly ref: string
  /** The file that every commit changes. */
  readonly path: string
}

/** Commits after which what was written is kept, whatever happens. */
const CHECKPOINT = 250
const CRASH_REPORT = 'fast_import_crash_'

const SETTINGS = ['core.fsync=all', 'fastimport.unpackLimit=1']

/** One `git fast-import`, which writes thousands of commits into few packs. */
export class FastImport {
  readonly #options: FastImportOptions
  readonly #child: PipedProcess
  readonly #end: Promise<readonly [string, string]>
  #written = 0
  #isOver = false

  private constructor(options: FastImportOptions) {
    const { git, gitDir } = options
    this.#options = options
    const settings = SETTINGS.flatMap((setting) => ['-c', setting])
    const args = ['fast-import', '--quiet', '--force', '--done', '--date-format=raw']
    this.#child = git.start(gitDir, [...settings, ...args])
    this.#child.stdout.resume()
    this.#end = Promise.all([ended(this.#child), text(this.#child.stderr)]).finally(() => {
      this.#isOver = true
    })
  }

  /** Only for the one who holds the repository: reports of imports that were killed are removed. */
  static async open(options: FastImportOptions): Promise<FastImport> {
    const names = await nodeFs.readdir(options.gitDir)
    const reports = names.filter((name) => name.startsWith(CRASH_REPORT))
    await Promise.all(reports.map((name) => nodeFs.rm(join(options.gitDir, name))))
    return new FastImport(options)
  }

  /** Writes a commit and gives the name by which later ones can call it their parent. */
  async write(commit: ImportedCommit): Promise<string> {
    const { ref, path } = this.#options
    this.#written += 1
    const [first, ...others] = commit.parents
    await this.#send([
      first === undefined ? `reset ${ref}\n` : '',
      `commit ${ref}\nmark :${this.#written}\n`,
      `author ${renderSignature(commit.author).replace(/\+0000$/, commit.zone)}\n`,
      `committer ${renderSignature(commit.committer)}\n`,
      ...dataOf(Buffer.from(commit.message)),
      first === undefined ? '' : `from ${first}\n`,
      ...others.map((parent) => `merge ${parent}\n`),
      `M 100644 inline ${quotePath(path)}\n`,
      ...dataOf(commit.document),
      this.#written % CHECKPOINT === 0 ? 'checkpoint\n\n' : '',
    ])
    return `:${this.#written}`
  }

  /** Lets the ref name this commit and ends; everything is on disk then. */
  async finish(tip: string): Promise<void> {
    await this.#send([`reset ${this.#options.ref}\nfrom ${tip}\n\n`, 'done\n'])
    this.#child.stdin.end()
    const [how, complaint] = await this.#end
    if (how !== 'exit code 0') throw new Error(`git fast-import failed: ${complaint.trim() || how}`)
  }

  /** Ends at once; what was kept at the last checkpoint stays. */
  async abandon(): Promise<void> {
    this.#child.kill()
    await this.#end
  }

  async #send(parts: readonly (string | Uint8Array)[]): Promise<void> {
    const { stdin } = this.#child
    if (this.#isOver) throw new Error(`git fast-import failed: ${(await this.#end).join(' ')}`)
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)))
    if (!stdin.write(bytes)) await Promise.race([once(stdin, 'drain'), this.#end])
  }
}

function dataOf(bytes: Uint8Array): (string | Uint8Array)[] {
  return [`data ${bytes.length}\n`, bytes, '\n']
}

function quotePath(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
