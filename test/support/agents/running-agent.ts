import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { runAgent, type AgentOptions } from '../../../src/agent/run-agent.ts'
import type { LogEvent } from '../../../src/lib/log.ts'
import type { JobAssignment } from '../../../src/wire/agent/work.ts'
import { AgentProtocolServer, type SeenJob } from './agent-protocol-server.ts'
import { anAssignment } from '../builds/an-assignment.ts'
import { TempFolder } from '../disk/temp-folder.ts'
import { until } from '../programs/until.ts'

export const QUICK = {
  contactMs: 50,
  backoff: { fromMs: 10, toMs: 50 },
  flushMs: 20,
  graceMs: 500,
  shutdownMs: 5_000,
}

export function agentOptions(server: string, workDir: string): AgentOptions {
  return {
    servers: [server],
    workDir,
    autoRegisterKey: null,
    resources: [],
    environments: [],
    hostname: null,
    version: '1.2.3',
    environment: { PATH: process.env['PATH'], HOME: workDir, CAIRN_AUTO_REGISTER_KEY: 'k' },
    jobUser: null,
    log: () => undefined,
    timing: QUICK,
  }
}

/** An agent in this process, with a server that drives it. */
export class RunningAgent implements AsyncDisposable {
  readonly server: AgentProtocolServer
  readonly #temp: TempFolder
  readonly workDir: string
  readonly log: LogEvent[] = []
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  private constructor(server: AgentProtocolServer, temp: TempFolder, more: Partial<AgentOptions>) {
    this.server = server
    this.#temp = temp
    this.workDir = more.workDir ?? temp.file('agent')
    const options = {
      ...agentOptions(server.url, this.workDir),
      log: (event: LogEvent) => this.log.push(event),
      ...more,
    }
    this.#running = runAgent(options, this.#stop.signal)
  }

  static async start(more: Partial<AgentOptions> = {}): Promise<RunningAgent> {
    return new RunningAgent(await AgentProtocolServer.start(), new TempFolder(), more)
  }

  /** Gives it a job, and waits for the end of that. Fails with what is known of it when it does not end in time. */
  async run(more: Partial<JobAssignment>, withinMs?: number): Promise<SeenJob> {
    const job = this.server.assign(anAssignment(more))
    try {
      await until(() => job.result !== null, withinMs)
    } catch (cause) {
      const seen = { states: job.states, text: job.text, agent: this.messages }
      throw new Error(`The job did not end: ${JSON.stringify(seen)}`, { cause })
    }
    return job
  }

  folderOf(pipeline: string, ...parts: readonly string[]): string {
    return join(this.workDir, 'pipelines', pipeline, ...parts)
  }

  get messages(): string[] {
    return this.log.map(({ message }) => message)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.server[Symbol.asyncDispose]()
    this.#temp[Symbol.dispose]()
  }
}

/** One agent for all tests of a file, and a folder that is there as long. */
export function useAgent(): { readonly agent: RunningAgent; readonly temp: TempFolder } {
  let agent: RunningAgent | null = null
  let temp: TempFolder | null = null
  beforeAll(async () => {
    agent = await RunningAgent.start()
    temp = new TempFolder()
  })
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]()
    temp?.[Symbol.dispose]()
  })
  return {
    get agent() {
      if (agent === null) throw new Error('The agent starts before the first test')
      return agent
    },
    get temp() {
      if (temp === null) throw new Error('The folder is there from the first test on')
      return temp
    },
  }
}
