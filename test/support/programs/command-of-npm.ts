import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { findProcesses } from '../../../src/agent/process/end-processes.ts'
import { rootFile } from './root-file.ts'

/** A command line of npm, in the checkout or a copy of it, with the processes that come of it. */
export class CommandOfNpm {
  readonly process: ChildProcess
  output = ''
  readonly #mark = `CAIRN_TEST_MARK=${randomUUID()}`

  constructor(command: string, args: readonly string[], cwd = rootFile('.')) {
    const [name = '', value = ''] = this.#mark.split('=')
    const env = { ...process.env, [name]: value }
    this.process = spawn(command, args, { cwd, env, detached: true })
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text))
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.output += text))
    onTestFinished(() => {
      for (const pid of this.alive()) process.kill(pid, 'SIGKILL')
    })
  }

  alive(): number[] {
    const isMarked = (text: string) => text.includes(this.#mark)
    return findProcesses({ isMarked, groups: new Set() }).pids
  }
}
