import { once } from 'node:events'
import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { GitExecutable } from '../../git/git-executable.ts'
import { ended, type PipedProcess } from '../../processes/piped-process.ts'
import { renderSignature, type Signature } from '../../git/signature.ts'

/** A commit to import. Its parents are existing commits, or marks of earlier ones. */
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
  /** The ref that keeps the written commits reachable. */
  readonly ref: string
  /** The file that every commit changes. */
  readonly path: string
}

/** Commits between two checkpoints. */
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

  /** Removes reports of imports that were killed. Only for the holder of the repository. */
  static async open(options: FastImportOptions): Promise<FastImport> {
    const names = await nodeFs.readdir(options.gitDir)
    const reports = names.filter((name) => name.startsWith(CRASH_REPORT))
    await Promise.all(reports.map((name) => nodeFs.rm(join(options.gitDir, name))))
    return new FastImport(options)
  }

  /** Writes a commit and returns the mark by which later ones can name it as parent. */
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

  /** Points the ref at this commit and ends. Everything is on disk when it returns. */
  async finish(tip: string): Promise<void> {
    await this.#send([`reset ${this.#options.ref}\nfrom ${tip}\n\n`, 'done\n'])
    this.#child.stdin.end()
    const [how, complaint] = await this.#end
    if (how !== 'exit code 0') throw new Error(`git fast-import failed: ${complaint.trim() || how}`)
  }

  /** Ends without a tip. Written objects stay; killing git would leave half a pack. */
  async abandon(): Promise<void> {
    this.#child.stdin.end('done\n')
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
