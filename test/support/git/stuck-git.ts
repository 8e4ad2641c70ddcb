import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { isProcessAlive } from '../../../src/agent/process/end-processes.ts'
import { tempDir } from '../disk/temp-folder.ts'

const PROCESSES = 3

/**
 * A git that never ends once its arguments have certain words, and does not heed SIGTERM. Of its
 * children one leaves its session, and one throws its environment away. Needs setsid.
 */
export class StuckGit {
  /** A `PATH` with this git before the others. */
  readonly path: string
  readonly #file: string

  constructor(words: string) {
    const folder = tempDir()
    this.#file = join(folder, 'processes')
    this.path = `${folder}:${process.env['PATH']}`
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const sleep = `sh -c 'trap "" TERM; echo $$ >>${this.#file}; exec sleep 600' >/dev/null 2>&1`
    const stuck = `setsid ${sleep} & env -i ${sleep} & exec ${sleep}`
    const script = `#!/bin/sh\ncase "$*" in *"${words}"*) ${stuck};; esac\nexec ${real} "$@"\n`
    writeFileSync(join(folder, 'git'), script, { mode: 0o755 })
    onTestFinished(() => this.running().forEach((pid) => process.kill(pid, 'SIGKILL')))
  }

  /** Whether it is stuck with all its children. */
  get isStuck(): boolean {
    return this.running().length >= PROCESSES
  }

  /** Its running process and children. */
  running(): number[] {
    if (!existsSync(this.#file)) return []
    return readFileSync(this.#file, 'utf8').trim().split('\n').map(Number).filter(isProcessAlive)
  }
}
