import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { agentOptions } from './running-agent.ts'

const MODULE = fileURLToPath(new URL('../../dist/agent/run-agent.js', import.meta.url))

const STOP_SIGNAL = fileURLToPath(new URL('../../dist/commands/stop-signal.js', import.meta.url))

const SCRIPT = `
const { runAgent } = await import(process.argv[1])
const { stopSignal } = await import(process.argv[3])
const log = (event) => process.stdout.write(event.message + '\\n')
await runAgent({ ...JSON.parse(process.argv[2]), environment: process.env, log }, stopSignal()).catch((error) => {
  process.stdout.write(error.message + '\\n')
  process.exitCode = 1
})`

/** An agent in a process of its own, as built. */
export class AgentProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #exit: Promise<unknown[]>
  output = ''

  constructor({ server, workDir }: { server: string; workDir: string }) {
    const options = JSON.stringify(agentOptions(server, workDir))
    const args = ['--input-type=module', '-e', SCRIPT, MODULE, options, STOP_SIGNAL]
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
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
