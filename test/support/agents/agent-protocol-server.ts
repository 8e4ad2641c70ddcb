import { type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { once } from 'node:events'
import type { ConfigStatus } from '../../../src/core/builds/agent.ts'
import { JobReport } from '../../../src/core/builds/job.ts'
import { ContactRequest } from '../../../src/wire/agent/contact.ts'
import { parseAgentMessage, renderAgentMessage } from '../../../src/wire/agent/message.ts'
import { AGENT_PATTERNS } from '../../../src/wire/agent/paths.ts'
import { RegisterRequest } from '../../../src/wire/agent/registration.ts'
import { type JobAssignment, WorkRequest } from '../../../src/wire/agent/work.ts'
import { freePort } from '../programs/free-port.ts'

/** The messages of an agent about one job. */
export class SeenJob {
  readonly reports: JobReport[] = []
  readonly artifacts = new Map<string, string>()
  console = Buffer.alloc(0)
  cancelled = false
  /** Answers calls about the job with this status instead. */
  refusal: 410 | 507 | null = null

  get text(): string {
    return this.console.toString()
  }

  /** The lines that commands wrote, without their times. */
  get written(): string[] {
    const lines = this.text.split('\n').map((line) => line.slice(13))
    return lines.filter((line) => line !== '' && !line.startsWith('[cairn]'))
  }

  get states(): string[] {
    return this.reports.map(({ state }) => state)
  }

  get result(): string | null {
    const last = this.reports.at(-1)
    return last?.state === 'Completed' ? last.result : null
  }
}

interface KnownAgent {
  readonly request: RegisterRequest
  readonly token: string
}

/** The other side of the agents' protocol, just enough to drive an agent in tests. */
export class AgentProtocolServer implements AsyncDisposable {
  readonly agents = new Map<string, KnownAgent>()
  readonly contacts: ContactRequest[] = []
  readonly registrations: RegisterRequest[] = []
  readonly jobs = new Map<number, SeenJob>()
  /** Served below `/files`, by path; listed for every caller. */
  readonly files = new Map<string, string>()
  configStatus: ConfigStatus = 'Enabled'
  /** How long agents are told to wait for the next contact; undefined for nothing. */
  contactIntervalMs: number | undefined
  /** Called when the sending of an artifact has begun, with its path. */
  onUpload: (path: string) => void = () => {}
  readonly #waiting: JobAssignment[] = []
  readonly #app = this.#routes()
  /** How often agents have asked for work. */
  workCalls = 0
  #listening: ServerType | null = null
  #port = 0

  static async start(): Promise<AgentProtocolServer> {
    const server = new AgentProtocolServer()
    await server.up()
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/base`
  }

  async up(): Promise<void> {
    this.#port ||= await freePort()
    const options = { fetch: this.#app.fetch, hostname: '127.0.0.1', port: this.#port }
    const listening = serve(options)
    await once(listening, 'listening')
    this.#listening = listening
  }

  async down(): Promise<void> {
    const listening = this.#listening
    this.#listening = null
    if (!listening) return
    listening.close()
    if ('closeAllConnections' in listening) listening.closeAllConnections()
    await once(listening, 'close')
  }

  /** Gives a job to the next agent that asks. */
  assign(assignment: JobAssignment): SeenJob {
    const job = new SeenJob()
    this.jobs.set(assignment.jobId, job)
    this.#waiting.push(assignment)
    return job
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
  }

  #routes(): Hono {
    const app = new Hono().basePath('/base')
    app.post(AGENT_PATTERNS.register, async (c) => {
      const request = parseAgentMessage(RegisterRequest, await c.req.text())
      this.registrations.push(request)
      const known = this.agents.get(request.uuid)
      if (known && known.request.claim !== request.claim) {
        return c.json({ message: 'the uuid is taken' }, 409)
      }
      const token = `token-${request.uuid}-${this.registrations.length}`
      this.agents.set(request.uuid, { request, token })
      const { configStatus, contactIntervalMs } = this
      return c.body(renderAgentMessage({ token, configStatus, contactIntervalMs }))
    })
    app.post(AGENT_PATTERNS.contact, async (c) => {
      const contact = parseAgentMessage(ContactRequest, await c.req.text())
      const agent = this.agents.get(c.req.param('uuid'))
      const { configStatus, contactIntervalMs } = this
      if (!agent) {
        const instruction = { kind: 'register' }
        return c.body(renderAgentMessage({ instruction, configStatus: null }))
      }
      if (!mayCall(agent, c.req.header('authorization'))) {
        return c.json({ message: 'forged' }, 401)
      }
      this.contacts.push(contact)
      const { jobId } = contact
      const cancelled = jobId !== null && this.jobs.get(jobId)?.cancelled
      const instruction = cancelled ? { kind: 'cancel_job', jobId } : { kind: 'none' }
      return c.body(renderAgentMessage({ instruction, configStatus, contactIntervalMs }))
    })
    app.use('/api/agents-protocol/:uuid/*', async (c, next) => {
      const agent = this.agents.get(c.req.param('uuid'))
      if (!agent || !mayCall(agent, c.req.header('authorization'))) {
        return c.json({ message: 'forged' }, 401)
      }
      return next()
    })
    app.post(AGENT_PATTERNS.work, async (c) => {
      parseAgentMessage(WorkRequest, await c.req.text())
      this.workCalls += 1
      const held = Date.now() + 1_000
      while (this.#waiting.length === 0 && Date.now() < held && !c.req.raw.signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return c.body(renderAgentMessage({ assignment: this.#waiting.shift() ?? null }))
    })
    app.post(AGENT_PATTERNS.report, async (c) => {
      const job = this.#job(c.req.param('job'))
      const report = parseAgentMessage(JobReport, await c.req.text())
      if (job.refusal === 410) return c.json({ message: 'not yours' }, 410)
      job.reports.push(report)
      return c.json({ message: 'noted' })
    })
    app.put(AGENT_PATTERNS.console, async (c) => {
      const job = this.#job(c.req.param('job'))
      const bytes = Buffer.from(await c.req.arrayBuffer())
      if (job.refusal) return c.json({ message: 'the disk is full' }, job.refusal)
      if (Number(c.req.query('offset')) === job.console.length) {
        job.console = Buffer.concat([job.console, bytes])
      }
      return c.body(renderAgentMessage({ offset: job.console.length }))
    })
    app.put(AGENT_PATTERNS.artifact, async (c) => {
      const kind = c.req.query('kind') ?? ''
      const job = this.#job(c.req.param('job'))
      this.onUpload(c.req.param('path'))
      const content = await c.req.text().catch(() => null)
      if (content === null) return c.json({ message: 'it did not arrive whole' }, 400)
      job.artifacts.set(`${kind} ${c.req.param('path')}`, content)
      return c.json({ message: 'kept' }, 201)
    })
    app.get(AGENT_PATTERNS.listArtifacts, (c) => {
      const path = c.req.query('path') ?? ''
      const below = [...this.files].filter(([name]) => `${name}/`.startsWith(`${path}/`))
      const files = below.map(([name, text]) => ({ path: name, size: Buffer.byteLength(text) }))
      return c.body(renderAgentMessage({ files }))
    })
    app.get('/files/:p/:pc/:s/:sc/:j/:path{.+}', (c) => {
      const text = this.files.get(c.req.param('path'))
      const known = [...this.agents.values()].some((agent) =>
        mayCall(agent, c.req.header('authorization')),
      )
      if (text === undefined || !known) return c.json({ message: 'no such file' }, 404)
      return c.body(text)
    })
    return app
  }

  #job(id: string): SeenJob {
    const job = this.jobs.get(Number(id))
    if (!job) throw new Error(`There is no job ${id}`)
    return job
  }
}

function mayCall(agent: KnownAgent, authorization: string | undefined): boolean {
  return authorization === `Bearer ${agent.token}`
}
