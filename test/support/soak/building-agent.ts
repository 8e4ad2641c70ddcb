import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { JobReport } from '../../../src/core/builds/job.ts'
import type { SerialQueue } from '../../../src/lib/serial-queue.ts'
import { parseAgentMessage } from '../../../src/wire/agent/message.ts'
import { renderLocator } from '../../../src/wire/agent/paths.ts'
import { type JobAssignment, WorkReply } from '../../../src/wire/agent/work.ts'
import { KEY, ProtocolAgent } from '../agents/protocol-agent.ts'
import type { SoakedServer } from './soaked-server.ts'

const REPORTS = [
  { state: 'Preparing' },
  { state: 'Building' },
  { state: 'Completing', result: 'Passed' },
  { state: 'Completed', result: 'Passed' },
].map((report) => JobReport.parse(report))

/** The job that an agent has, and which reports of it are still to be answered. */
interface Held {
  readonly jobId: number
  readonly reports: JobReport[]
  offset: number
}

/** An agent that outlives its servers and goes on where it was, as the protocol asks of it. */
export class BuildingAgent {
  readonly uuid: string
  readonly #instance = randomUUID()
  #token = ''
  #held: Held | null = null

  constructor(uuid: string) {
    this.uuid = uuid
  }

  /** One thing that an agent does: register, report, or ask for work. */
  async step(server: SoakedServer, turns: SerialQueue): Promise<void> {
    const agent = Object.assign(new ProtocolAgent(server, this.uuid), {
      token: this.#token,
      instance: this.#instance,
    })
    if (this.#token === '') return turns.run(() => this.#register(server, agent))
    await wait(Math.random() * 60)
    if (this.#held) return this.#report(server, agent, this.#held)
    await this.#ask(server, agent)
  }

  async #register({ ledger }: SoakedServer, agent: ProtocolAgent): Promise<void> {
    ledger.asked(this.uuid, 'enabled')
    await agent.register({ key: KEY, resources: [], environments: [] })
    this.#token = agent.token
    ledger.decided(this.uuid, 'enabled')
  }

  async #ask({ ledger }: SoakedServer, agent: ProtocolAgent): Promise<void> {
    await agent.contact({ jobId: null })
    const response = await agent.ask()
    if (response.status === 403) return wait(100)
    if (response.status !== 200)
      return ledger.complain(`work of ${this.uuid}: ${response.status} ${await response.text()}`)
    const { assignment } = parseAgentMessage(WorkReply, await response.text())
    if (assignment === null) return
    const { jobId } = assignment
    ledger.took(jobId, `${renderLocator(locatorOf(assignment))} of ${this.uuid}`)
    ledger.stepped({ jobId, agent: this.uuid, state: 'Assigned' })
    this.#held = { jobId, reports: [...REPORTS], offset: 0 }
  }

  async #report({ ledger }: SoakedServer, agent: ProtocolAgent, held: Held): Promise<void> {
    const { jobId, reports } = held
    const [report] = reports
    const instruction = await agent.contact({ jobId })
    if (!report || instruction.kind !== 'none') {
      const last = JobReport.parse({ state: 'Completed', result: 'Cancelled' })
      if (report) await agent.report(jobId, last)
      this.#held = null
      return
    }
    const appended = await agent.append(jobId, held.offset, `${report.state} of ${jobId}\n`)
    if (typeof appended === 'number') held.offset = appended
    const response = await agent.report(jobId, report)
    if (response.status === 410) {
      this.#held = null
      return
    }
    if (response.status !== 200)
      return ledger.complain(`report of ${jobId}: ${response.status} ${await response.text()}`)
    ledger.stepped({ jobId, agent: this.uuid, state: report.state })
    reports.shift()
  }
}

function locatorOf(assignment: JobAssignment) {
  const { pipelineName, pipelineCounter, stageName, stageCounter, jobName } = assignment
  return { pipelineName, pipelineCounter, stageName, stageCounter, jobName }
}
