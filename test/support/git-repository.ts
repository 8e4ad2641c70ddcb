import { execFileSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { CommitSha } from '../../src/core/revision.ts'
import type { GitStore } from '../../src/history/git-store.ts'
import { TempFolder } from './temp-folder.ts'

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Gil',
  GIT_AUTHOR_EMAIL: 'gil@example.org',
  GIT_COMMITTER_NAME: 'Gil',
  GIT_COMMITTER_EMAIL: 'gil@example.org',
}

/** A repository on branch `main` with a work tree, made (or copied) and judged by the git executable. */
export class GitRepository implements Disposable {
  readonly #temp = new TempFolder()
  readonly path = this.#temp.path
  readonly gitDir = join(this.path, '.git')
  readonly store: GitStore = { fs: nodeFs, gitDir: this.gitDir }

  constructor(template?: GitRepository) {
    if (template) cpSync(template.path, this.path, { recursive: true })
    else this.git('init', '--quiet', '--initial-branch=main')
  }

  file(name: string): string {
    return join(this.path, name)
  }

  /** Runs git and gives what it printed, without the last line's end. */
  git(...args: readonly string[]): string {
    return this.run(args, '')
  }

  run(args: readonly string[], input: string | Uint8Array): string {
    return this.#run(args, { input, env: {} })
  }

  gitWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): string {
    return this.#run(args, { input: '', env })
  }

  /** Writes a file, commits it and gives the commit. */
  commit(name: string, content: string | Uint8Array, message = `Change ${name}`): CommitSha {
    writeFileSync(this.file(name), content)
    this.git('add', name)
    this.git('commit', '--quiet', '--message', message)
    return this.head()
  }

  head(): CommitSha {
    return CommitSha.parse(this.git('rev-parse', 'HEAD'))
  }

  /** What a strict check of every object says; empty when all is well. */
  fsck(): string {
    return this.git('fsck', '--strict', '--no-dangling', '--no-progress')
  }

  #run(
    args: readonly string[],
    { input, env }: { input: string | Uint8Array; env: Readonly<Record<string, string>> },
  ): string {
    const own = { PATH: process.env['PATH'], HOME: this.path, GIT_CONFIG_NOSYSTEM: '1' }
    return execFileSync('git', ['-C', this.path, ...args], {
      env: { ...own, ...IDENTITY, ...env },
      input,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: 'pipe',
    }).trimEnd()
  }

  [Symbol.dispose](): void {
    this.#temp[Symbol.dispose]()
  }
}
