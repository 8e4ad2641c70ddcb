import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { unavailable } from '../../core/errors.ts'
import { isObjectName } from '../../core/object-name.ts'
import { CommitSha } from '../../core/revision.ts'
import { protocolsFor, settingsFor } from '../../core/git-settings.ts'
import { formatOfName, type ObjectFormat } from '../../git/object-format.ts'
import { SourceFailed } from '../../sources/modification.ts'
import { secretsOf, addressOf } from '../../sources/source-place.ts'
import { Tools } from '../../sources/tools.ts'

/** Milliseconds that the other repository may take to answer; a fetch may take ten times as long. */
const TIMEOUT_MS = 600_000
const HEADS = 'refs/heads/'
const USUAL = ['main', 'master']

/** Another repository, to import a branch from. */
export class SourceRepository implements AsyncDisposable {
  /** Without credentials. */
  readonly url: string
  readonly #branch: string | null
  readonly #tools: Tools
  readonly #call: Omit<Parameters<Tools['run']>[0], 'cwd' | 'args'>
  #chosen = ''

  constructor(
    { from, branch }: { from: string; branch: string | null },
    environment: Readonly<Record<string, string>>,
  ) {
    const address = foreseen(() => addressOf('git', existsSync(from) ? resolve(from) : from))
    this.url = address.url
    this.#branch = branch
    this.#tools = new Tools({ environment, timeout: TIMEOUT_MS })
    this.#call = {
      command: 'git',
      address: address.url,
      isLong: true,
      environment: {
        GIT_TERMINAL_PROMPT: '0',
        GIT_ALLOW_PROTOCOL: protocolsFor(address.url),
        LC_ALL: 'C.UTF-8',
        ...settingsFor(address),
      },
      secrets: secretsOf(address, address.username !== null),
    }
  }

  /** The name of the branch that was fetched. */
  get branch(): string {
    return this.#chosen
  }

  /**
   * Fetches the branch into a folder, continuing an earlier fetch.
   *
   * @throws {ServiceError} `unavailable` when that fails, or the branch is ambiguous.
   */
  async fetchInto(folder: string): Promise<CommitSha> {
    try {
      await mkdir(folder, { recursive: true })
      const refs = (await this.#git(folder, ['ls-remote', '--symref', '--', this.url])).split('\n')
      this.#chosen = this.#branch ?? chooseBranch(refs)
      const format = `--object-format=${formatIn(refs).name}`
      await this.#git(folder, ['init', '--quiet', '--bare', format, '.'])
      const options = ['--quiet', '--no-tags', '--force', '--no-auto-gc', '--no-write-fetch-head']
      const refspec = `+${HEADS}${this.#chosen}:${HEADS}source`
      await this.#git(folder, ['fetch', ...options, '--', this.url, refspec])
      return CommitSha.parse((await this.#git(folder, ['rev-parse', `${HEADS}source`])).trim())
    } catch (error) {
      throw translated(error)
    }
  }

  /**
   * Reads a file of a commit that was fetched; null where the commit has none of that name.
   *
   * @throws {ServiceError} `unavailable` when git cannot be run.
   */
  async readFile(folder: string, commit: CommitSha, file: string): Promise<Buffer | null> {
    try {
      const listed = await this.#git(folder, ['ls-tree', '--name-only', commit, '--', file])
      if (listed.trim() === '') return null
      return Buffer.from(await this.#git(folder, ['cat-file', 'blob', `${commit}:${file}`]))
    } catch (error) {
      throw translated(error)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#tools[Symbol.asyncDispose]()
  }

  /** The folder lies inside another repository, which is not the one to import. */
  #git(cwd: string, args: readonly string[]): Promise<string> {
    const environment = { ...this.#call.environment, GIT_CEILING_DIRECTORIES: dirname(cwd) }
    return this.#tools.run({ ...this.#call, environment, cwd, args })
  }
}

/** @throws {SourceFailed} when the answer of `git ls-remote` leaves it open. */
function chooseBranch(refs: readonly string[]): string {
  const names = refs.flatMap((line) => line.split(`\t${HEADS}`)[1] ?? [])
  const head = refs.map((line) => /^ref: refs\/heads\/(\S+)\tHEAD$/.exec(line)?.[1])
  const candidates = [...head, ...(names.length === 1 ? names : []), ...USUAL]
  const chosen = candidates.find((name) => name !== undefined && names.includes(name))
  if (chosen !== undefined) return chosen
  throw new SourceFailed(`say which branch is meant: ${names.join(', ') || 'there is none'}`)
}

/** The object format of the repository with these refs. */
function formatIn(refs: readonly string[]): ObjectFormat {
  const oids = refs.flatMap((line) => line.split('\t')[0] ?? []).filter(isObjectName)
  return formatOfName(oids[0] ?? '')
}

function foreseen<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw translated(error)
  }
}

function translated(cause: unknown): unknown {
  if (!(cause instanceof SourceFailed)) return cause
  return unavailable(`The other repository cannot be read: ${cause.message}`, cause)
}
