import { randomUUID } from 'node:crypto'
import { type AgentTool, JobReport } from '../../../src/core/builds/job.ts'
import { ContactReply, type Instruction } from '../../../src/wire/agent/contact.ts'
import { parseAgentMessage, renderAgentMessage } from '../../../src/wire/agent/message.ts'
import { agentPaths, type JobLocator } from '../../../src/wire/agent/paths.ts'
import { RegisterReply } from '../../../src/wire/agent/registration.ts'
import {
  type JobAssignment,
  WorkReply,
  ArtifactListing,
  ConsoleReply,
} from '../../../src/wire/agent/work.ts'
import type { CalledService } from '../service/service.ts'

export const KEY = 'a key of thirty-two characters ok'

/** One agent that speaks the protocol as a test tells it, without building anything. */
export class ProtocolAgent {
  readonly uuid: string
  instance = randomUUID()
  token = ''
  readonly #service: Pick<CalledService, 'fetch'>

  constructor(service: Pick<CalledService, 'fetch'>, uuid: string) {
    this.#service = service
    this.uuid = uuid
  }

  /** An agent that is enabled, because it knows the key of a service with that flag. */
  static async join(
    service: Pick<CalledService, 'fetch'>,
    uuid: string,
    wishes: { resources?: string[]; environments?: string[] } = {},
  ): Promise<ProtocolAgent> {
    const agent = new ProtocolAgent(service, uuid)
    await agent.register({ key: KEY, resources: [], environments: [], ...wishes })
    return agent
  }

  async register(autoRegister: object | null): Promise<void> {
    const claim = `claim-of-${this.uuid}`.padEnd(40, '-')
    const body = { ...this.#describe(), uuid: this.uuid, claim, autoRegister }
    const response = await this.call('POST', agentPaths.register(), renderAgentMessage(body))
    this.token = parseAgentMessage(RegisterReply, await response.text()).token
  }

  async contact(said: {
    jobId: number | null
    runtimeStatus?: string
    stopping?: boolean
  }): Promise<Instruction> {
    const runtimeStatus = said.jobId === null ? 'Idle' : 'Building'
    const body = { ...this.#describe(), runtimeStatus, stopping: false, ...said }
    const response = await this.call(
      'POST',
      agentPaths.contact(this.uuid),
      renderAgentMessage(body),
    )
    return parseAgentMessage(ContactReply, await response.text()).instruction
  }

  /** Asks for work, by a call that may have its number; the answer as it comes. */
  ask(signal?: AbortSignal, attempt?: number): Promise<Response> {
    const body = renderAgentMessage({ instance: this.instance, attempt })
    return this.call('POST', agentPaths.work(this.uuid), body, signal ? { signal } : {})
  }

  /** Waits for a job and gives it. */
  async work(): Promise<JobAssignment> {
    const { assignment } = parseAgentMessage(WorkReply, await (await this.ask()).text())
    if (!assignment) throw new Error(`no work for ${this.uuid}`)
    return assignment
  }

  report(jobId: number, report: JobReport): Promise<Response> {
    return this.call('POST', agentPaths.report(this.#job(jobId)), renderAgentMessage(report))
  }

  /** Reports a job to its end; the tools are what the machine has for it. */
  async finish(
    { jobId }: Pick<JobAssignment, 'jobId'>,
    result: 'Passed' | 'Failed' = 'Passed',
    tools?: readonly AgentTool[],
  ): Promise<void> {
    const reports = [
      { state: 'Preparing', ...(tools && { tools }) },
      { state: 'Building' },
      { state: 'Completing', result },
      { state: 'Completed', result },
    ]
    for (const report of reports) await this.report(jobId, JobReport.parse(report))
  }

  /** Appends to the console; the offset that is answered, or the status of a refusal. */
  async append(jobId: number, offset: number, text: string): Promise<number | string> {
    const response = await this.call('PUT', agentPaths.console(this.#job(jobId), offset), text)
    if (!response.ok) return `refused: ${response.status}`
    return parseAgentMessage(ConsoleReply, await response.text()).offset
  }

  upload(jobId: number, path: string, content: string, kind = 'artifact'): Promise<Response> {
    return this.call('PUT', agentPaths.artifact(this.#job(jobId), kind, path), content)
  }

  async list(job: JobLocator, path: string): Promise<ArtifactListing['files']> {
    const response = await this.call('GET', agentPaths.listArtifacts(this.uuid, job, path))
    return parseAgentMessage(ArtifactListing, await response.text()).files
  }

  call(
    method: string,
    path: string,
    body: string | null = null,
    more: RequestInit = {},
  ): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}` }
    return this.#service.fetch(path, { as: null, method, body, headers, ...more })
  }

  #job(jobId: number) {
    return { uuid: this.uuid, jobId }
  }

  #describe() {
    return {
      instance: this.instance,
      hostname: `host-${this.uuid}`,
      ipAddress: '127.0.0.1',
      sandbox: `/sandbox/${this.uuid}`,
      operatingSystem: 'Linux',
      freeSpace: 1_000_000,
      version: '1.0.0',
    }
  }
}
