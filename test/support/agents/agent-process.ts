import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { JobUser } from '../../../src/agent/process/job-user.ts'
import { bundled } from '../programs/bundle.ts'
import { agentOptions } from './running-agent.ts'

const PROGRAM = new URL('./agent-program.ts', import.meta.url)

export interface AgentProcessOptions {
  readonly server: string
  /** Where else the agent may go. */
  readonly others?: readonly string[]
  readonly workDir: string
  readonly jobUser?: JobUser | null
  /** The beginning of the command line, such as `setpriv` with its options. */
  readonly through?: readonly string[]
}

/** An agent in a process of its own. */
export class AgentProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #exit: Promise<unknown[]>
  output = ''

  constructor({ server, others = [], workDir, jobUser = null, through = [] }: AgentProcessOptions) {
    const servers = [server, ...others]
    const options = JSON.stringify({ ...agentOptions(server, workDir), servers, jobUser })
    const [command, ...line] = [...through, process.execPath, bundled(PROGRAM), options]
    this.#child = spawn(command, line, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()))
    this.#exit = once(this.#child, 'exit')
  }

  /** Ends the process and gives its exit code, or null when the signal ended it. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#child.kill(signal)
    return this.exitCode()
  }

  async exitCode(): Promise<number | null> {
    await this.#exit
    return this.#child.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
  }
}
