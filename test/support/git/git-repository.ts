import { cpSync, writeFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { CommitSha } from '../../../src/core/revision.ts'
import type { ObjectFormatName } from '../../../src/core/object-name.ts'
import { objectFormatOf } from '../../../src/git/object-format.ts'
import type { StagingStore } from '../../../src/history/repository/update-staging-index.ts'
import { commitFile, type GitCall, gitBytes } from './git.ts'
import { TempFolder } from '../disk/temp-folder.ts'

/** A repository on branch `main` with a work tree, made (or copied) and judged by the git executable. */
export class GitRepository implements Disposable {
  readonly #temp = new TempFolder()
  readonly path = this.#temp.path
  readonly gitDir = join(this.path, '.git')
  readonly store: StagingStore

  constructor(origin: GitRepository | ObjectFormatName = 'sha1') {
    const isCopy = origin instanceof GitRepository
    const format = isCopy ? origin.store.format : objectFormatOf(origin)
    this.store = { fs: nodeFs, gitDir: this.gitDir, format }
    if (isCopy) cpSync(origin.path, this.path, { recursive: true })
    else this.git('init', '--quiet', '--initial-branch=main', `--object-format=${origin}`)
  }

  file(name: string): string {
    return join(this.path, name)
  }

  /** Runs git and gives what it printed, without the last line's end. */
  git(...args: readonly string[]): string {
    return this.#run(args)
  }

  run(args: readonly string[], input: string | Uint8Array): string {
    return this.#run(args, { input })
  }

  gitWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): string {
    return this.#run(args, { env })
  }

  /** Writes a file, commits it and gives the commit. */
  commit(name: string, content: string | Uint8Array, message = `Change ${name}`): CommitSha {
    writeFileSync(this.file(name), content)
    return CommitSha.parse(commitFile(this.path, { name, message }))
  }

  head(): CommitSha {
    return CommitSha.parse(this.git('rev-parse', 'HEAD'))
  }

  /** The output of a strict check of every object; empty when all is well. */
  fsck(): string {
    return this.git('fsck', '--strict', '--no-dangling', '--no-progress')
  }

  #run(args: readonly string[], call: GitCall = {}): string {
    return gitBytes(this.path, args, call).toString().trimEnd()
  }

  [Symbol.dispose](): void {
    this.#temp[Symbol.dispose]()
  }
}
