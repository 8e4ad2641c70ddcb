import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../disk/temp-folder.ts'

/** A git that stops itself, as SIGSTOP would, once its arguments have a word: it heeds SIGKILL alone. */
export class StandingGit {
  /** A `PATH` with this git before the others. */
  readonly path: string
  readonly #mark: string

  constructor(word: string) {
    const folder = tempDir()
    this.path = `${folder}:${process.env['PATH']}`
    this.#mark = join(folder, 'stood')
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const stand = `touch ${this.#mark}; kill -STOP $$`
    const script = `#!/bin/sh\ncase "$*" in *"${word}"*) ${stand};; esac\nexec ${real} "$@"\n`
    writeFileSync(join(folder, 'git'), script, { mode: 0o755 })
  }

  /** Whether it stands, or is about to. */
  get hasStood(): boolean {
    return existsSync(this.#mark)
  }
}
