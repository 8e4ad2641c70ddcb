import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { AgentEntry } from '../../../src/wire/agent-entry.ts'
import { MessageBody } from '../../../src/wire/action-bodies.ts'
import { PipelineHistoryBody, PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import { RevisionEntry } from '../../../src/wire/revision-bodies.ts'
import { StartedBody } from '../../../src/wire/stage-body.ts'
import { aConfiguration, element, exec, git } from '../documents/a-configuration.ts'
import type { ConfigurationCall, RunCall, SwitchCall } from './models.ts'
import { ProposalCallers } from './proposal-callers.ts'
import { NoAnswer, NotDone, Recorder } from './recorder.ts'

export const PASSWORD = 'a password'
export const FIRST_VALUE = 'v0'
export const PIPELINES = ['runs-a', 'runs-b'] as const
export const AGENT = 'switch'
/** A pipeline that real agents run, which belong to its environment and take nothing else. */
export const BUILT = 'built'
export const BUILDERS = 'builders'
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`
const CURRENT = '/api/admin/config.xml'
const DIGEST = 'x-service-config-md5'
const SEQUENCE = 'x-cairn-sequence'
/** In milliseconds: who waits longer than that asks another server. */
const CALL_TIMEOUT_MS = 8_000
/** In milliseconds, between the calls of one caller. */
const MAX_PAUSE_MS = 200
/** In milliseconds: how long everything may take until it works again. */
const RECOVERY_TIMEOUT_MS = 60_000
/** In milliseconds: a next change that takes longer is told with the calls before it. */
const SLOW = { save: 2_000, build: 10_000 } as const satisfies Record<Change, number>
/** The calls that are remembered for that. */
const MAX_CALLS = 2_000
/** Messages of a server about a call that it did not begin. */
const NOT_DONE =
  /^\{"message":"(No server runs builds|The server that runs builds does not answer"|This server is at entry)/
const PLACE = /(<variable name="VALUE">\s*<value>)([^<]*)/

/** A configuration with a place for a value, and pipelines that run only by hand. */
export function firstDocument(origin: string): string {
  const manual = element('approval', { type: 'manual' })
  const jobs = [{ name: 'wait', tasks: [exec('true')] }]
  const pipelines = PIPELINES.map((name) => ({
    name,
    materials: [git(origin, { branch: 'main' })],
    stages: [{ name: 'build', approval: manual, jobs }],
  }))
  const [place = { name: '' }] = pipelines
  const register = { ...place, name: 'register', variables: { VALUE: FIRST_VALUE } }
  // What is measured is how soon agents build again, and not the work of git.
  const attributes = { fetchMaterials: 'false' }
  const stages = [{ name: 'build', attributes, approval: manual, jobs }]
  const built = { ...place, name: BUILT, stages }
  return aConfiguration({
    pipelines: [...pipelines, register, built],
    environments: [{ name: BUILDERS, pipelines: [BUILT] }],
  })
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A save, or a run of a pipeline that an agent ends. */
export type Change = 'save' | 'build'

/** A call, and what became of it. */
interface Told {
  readonly what: string
  readonly url: string
  readonly began: number
  readonly took: number
}

/** An acknowledged call. */
export interface Acknowledged {
  readonly what: Change | 'schedule' | 'cancel'
  readonly began: number
}

/** Callers of several servers, each call to any of them; what they were told is recorded. */
export class Callers {
  readonly configuration = new Recorder<ConfigurationCall>()
  readonly runs = new Map(PIPELINES.map((name) => [name, new Recorder<RunCall>()]))
  readonly agent = new Recorder<SwitchCall>()
  readonly proposals = new ProposalCallers({
    ask: (path, init) => this.ask(path, init),
    complain: (what, answer) => this.#complain(what, answer),
  })
  /** The counters of the runs of {@link BUILT} that were started. */
  readonly built: number[] = []
  readonly acknowledged: Acknowledged[] = []
  readonly problems: string[] = []
  /** Answers to callers that waited long for the next change. */
  readonly slow: string[] = []
  readonly #told: Told[] = []
  readonly #urls: readonly string[]
  readonly #digests = new Map<string, string>()
  #newest = 0
  #values = 0
  #isOver = false

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** Calls until {@link end}. */
  async work(): Promise<void> {
    const both = PIPELINES.flatMap((name) => [
      () => this.#start(name),
      () => this.#cancel(name),
      () => this.#lookAtRuns(name),
    ])
    const saves = Array.from({ length: 2 }, () => () => this.#save())
    const looks = [() => this.#list(), () => this.#readSnapshot(), () => this.#lookAtAgent()]
    const sets = [() => this.#setAgent(true), () => this.#setAgent(false)]
    const proposals = this.proposals.calls()
    const decided = [proposals, proposals]
    const others = [both, both, [...looks, ...sets], looks]
    const loops = [...saves.map((save) => [save]), ...others, ...decided]
    await Promise.all(loops.map((calls) => this.#repeat(calls)))
  }

  end(): void {
    this.#isOver = true
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Milliseconds until each of some servers has decided about a change that is made there, and one
   * was acknowledged. Of saves that are based on the same revision, one is. One that never decides
   * is a problem.
   */
  async until(what: Change, urls: readonly string[]): Promise<number> {
    const began = performance.now()
    const isDone = () => this.acknowledged.some((call) => call.what === what && call.began >= began)
    await Promise.all(urls.map((url) => this.#insist(what, url)))
    while (!isDone() && !this.#isOver) await this.#insist(what, anyOf(urls))
    const took = Math.round(performance.now() - began)
    if (took > SLOW[what]) this.slow.push(`${what} ${took} ms${this.#toldSince(began, urls)}`)
    return took
  }

  #toldSince(since: number, urls: readonly string[]): string {
    const told = this.#told.filter(({ url, began, took }) => {
      return urls.includes(url) && began + took > since
    })
    const lines = told.map(({ what, url, began, took }) => {
      return `\n  ${Math.round(began - since)} ms, ${url} ${what}, ${Math.round(took)} ms`
    })
    return lines.join('')
  }

  async #insist(what: Change, url: string): Promise<void> {
    const began = performance.now()
    while (!(await (what === 'save' ? this.#save(url) : this.#build(url)))) {
      if (this.#isOver) return
      this.#judge(what, url, began)
      await wait(50)
    }
  }

  #judge(what: Change, url: string, began: number): void {
    if (performance.now() - began <= RECOVERY_TIMEOUT_MS || this.#isOver) return
    this.problems.push(`no ${what} at ${url} any more${this.#toldSince(began, [url])}`)
    this.end()
  }

  /** Whether a run was started there, and then ended by an agent. */
  async #build(url: string): Promise<boolean> {
    const began = performance.now()
    const path = `/api/pipelines/${BUILT}`
    const started = await this.#unless(() => this.ask(`${path}/schedule`, { method: 'POST' }, url))
    if (started?.status !== 202) return false
    const { pipeline_counter: counter } = StartedBody.parse(JSON.parse(started.text))
    this.built.push(counter)
    for (;;) {
      const run = await this.#unless(() => this.ask(`${path}/instance/${counter}`, {}, url))
      const result = run?.status === 200 ? resultIn(run.text) : 'Unknown'
      if (result === 'Passed') this.acknowledged.push({ what: 'build', began })
      else if (result !== 'Unknown') this.problems.push(`${BUILT}/${counter}: ${result}`)
      if (result !== 'Unknown' || this.#isOver) return true
      this.#judge('build', url, began)
      await wait(50)
    }
  }

  /** Null without an answer. */
  async #unless(ask: () => Promise<Answer>): Promise<Answer | null> {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof NoAnswer || error instanceof NotDone)) throw error
      return null
    }
  }

  /**
   * An answer of some server that is at least as far as whatever was ever answered.
   *
   * @throws {NoAnswer} when there is none, or none that says what was done.
   */
  async ask(path: string, init: RequestInit = {}, url = anyOf(this.#urls)): Promise<Answer> {
    const headers = new Headers(init.headers)
    headers.set('authorization', AUTHORIZATION)
    headers.set('x-cairn-at-least', String(this.#newest))
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS)
    const began = performance.now()
    const tell = (outcome: string) => {
      const what = `${init.method ?? 'GET'} ${path}: ${outcome}`
      this.#told.push({ what, url, began, took: performance.now() - began })
      if (this.#told.length > 2 * MAX_CALLS) this.#told.splice(0, MAX_CALLS)
    }
    const answer = await fetch(`${url}${path}`, { ...init, headers, signal })
      .then(async (response) => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }))
      .catch((cause: unknown) => {
        tell(String(cause instanceof Error ? (cause.cause ?? cause) : cause))
        throw isRefused(cause) ? new NotDone(path, { cause }) : new NoAnswer(path, { cause })
      })
    const { status, text } = answer
    tell(status < 500 ? `${status}` : `${status} ${text.slice(0, 100)}`)
    if (status >= 500 && status !== 503) this.problems.push(`${path}: ${status} ${text}`)
    if (NOT_DONE.test(text)) throw new NotDone(`${path}: ${status}`)
    if (status >= 500) throw new NoAnswer(`${path}: ${status}`)
    this.#newest = Math.max(this.#newest, Number(answer.headers.get(SEQUENCE)))
    return answer
  }

  async #repeat(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
    while (!this.#isOver) {
      await anyOf(calls)()
      // The machine of a test is not to be what makes them wait.
      await wait(Math.random() * MAX_PAUSE_MS)
    }
  }

  /** Whether the server decided about it. */
  async #save(url?: string): Promise<boolean> {
    let [document, digest] = ['', '']
    const read = await this.configuration.record(async () => {
      const answer = await this.#read(CURRENT, url)
      document = answer.text
      digest = answer.headers.get(DIGEST) ?? ''
      return { kind: 'read', value: valueIn(document) }
    })
    if (read?.kind !== 'read') return false
    const from = read.value
    this.#values += 1
    const to = `v${this.#values}`
    const body = document.replace(PLACE, (_, before: string) => `${before}${to}`)
    const headers = { 'if-match': `"${digest}"`, 'x-cairn-message': to }
    const put = async () => {
      const answer = await this.ask(CURRENT, { method: 'PUT', headers, body }, url)
      if (answer.status === 412) return { kind: 'stale', from } as const
      if (answer.status !== 200) return this.#complain(`save ${to}`, answer)
      this.#digests.set(to, answer.headers.get(DIGEST) ?? '')
      return { kind: 'save', from, to } as const
    }
    const unanswered = { kind: 'save', from, to } as const
    return this.#acknowledge('save', () => this.configuration.record(put, unanswered))
  }

  async #list(): Promise<void> {
    await this.configuration.record(async () => {
      const { text } = await this.#read('/api/config/revisions')
      return { kind: 'list', values: valuesIn(text) }
    })
  }

  async #readSnapshot(): Promise<void> {
    const known = [...this.#digests]
    const [value, digest] = known[Math.floor(Math.random() * known.length)] ?? []
    if (value === undefined) return
    await this.configuration.record(async () => {
      const answer = await this.ask(`/api/admin/config/${digest}.xml`)
      if (answer.status !== 200) return this.#complain(`${value} as ${digest}`, answer)
      return { kind: 'snapshot', value: valueIn(answer.text) }
    })
  }

  async #start(pipeline: Pipeline): Promise<boolean> {
    const path = `/api/pipelines/${pipeline}/schedule`
    const start = async () => {
      const answer = await this.ask(path, { method: 'POST' })
      // What keeps a run from starting, such as a material that was not read yet, is no part of this.
      if (answer.status === 409) return null
      if (answer.status !== 202) return this.#complain(path, answer)
      const { pipeline_counter: counter } = StartedBody.parse(JSON.parse(answer.text))
      return { kind: 'start', counter } as const
    }
    const unanswered = { kind: 'start', counter: null } as const
    return this.#acknowledge('schedule', () => this.#runsOf(pipeline).record(start, unanswered))
  }

  async #cancel(pipeline: Pipeline): Promise<void> {
    const path = `/api/stages/${pipeline}/build/cancel`
    const cancel = async () => {
      const answer = await this.ask(path, { method: 'POST' })
      if (answer.status === 404) return { kind: 'cancel', was: false } as const
      if (answer.status !== 200) return this.#complain(path, answer)
      const { message } = MessageBody.parse(JSON.parse(answer.text))
      return { kind: 'cancel', was: message.endsWith('is cancelled') } as const
    }
    const unanswered = { kind: 'cancel', was: null } as const
    await this.#acknowledge('cancel', () => this.#runsOf(pipeline).record(cancel, unanswered))
  }

  async #lookAtRuns(pipeline: Pipeline): Promise<void> {
    const path = `/api/pipelines/${pipeline}/history`
    await this.#runsOf(pipeline).record(async () => {
      const answer = await this.#read(path)
      const [newest] = PipelineHistoryBody.parse(JSON.parse(answer.text)).pipelines
      const isActive = newest?.stages[0]?.result === 'Unknown'
      return { kind: 'look', counter: newest?.counter ?? 0, isActive }
    })
  }

  async #setAgent(on: boolean): Promise<void> {
    const path = `/api/agents/${AGENT}/${on ? 'enable' : 'disable'}`
    const call = { kind: 'set', on } as const
    await this.agent.record(async () => {
      const answer = await this.ask(path, { method: 'POST' })
      return answer.status === 200 ? call : this.#complain(path, answer)
    }, call)
  }

  async #lookAtAgent(): Promise<void> {
    await this.agent.record(async () => {
      const answer = await this.#read('/api/agents')
      const agents = z.array(AgentEntry).parse(JSON.parse(answer.text))
      const found = agents.find(({ uuid }) => uuid === AGENT)
      if (found === undefined) return this.#complain(`the agent ${AGENT}`, answer)
      return { kind: 'look', on: found.status !== 'Disabled' }
    })
  }

  async #read(path: string, url?: string): Promise<Answer> {
    const answer = await this.ask(path, {}, url)
    if (answer.status !== 200) this.#complain(path, answer)
    if (answer.status !== 200) throw new NoAnswer(path)
    return answer
  }

  async #acknowledge<Call extends { readonly kind: string }>(
    what: Acknowledged['what'],
    ask: () => Promise<Call | null>,
  ): Promise<boolean> {
    const began = performance.now()
    const call = await ask()
    if (call !== null && call.kind !== 'stale') this.acknowledged.push({ what, began })
    return call !== null
  }

  #complain(what: string, { status, text }: Answer): null {
    this.problems.push(`${what}: ${status} ${text.slice(0, 300)}`)
    return null
  }

  #runsOf(pipeline: Pipeline): Recorder<RunCall> {
    const recorder = this.runs.get(pipeline)
    if (recorder === undefined) throw new Error(`nothing is known of ${pipeline}`)
    return recorder
  }
}

/** Whether the error says that no server listens at the address. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}

function resultIn(run: string): string {
  return PipelineRunBody.parse(JSON.parse(run)).stages[0]?.result ?? 'Unknown'
}

type Pipeline = (typeof PIPELINES)[number]

export function valueIn(document: string): string {
  return PLACE.exec(document)?.[2] ?? ''
}

/** The values of the list of revisions, newest first. */
export function valuesIn(list: string): string[] {
  const entries = z.array(RevisionEntry).parse(JSON.parse(list))
  return entries.map(({ message }) => message).filter((message) => /^v\d+$/.test(message))
}

export function anyOf<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)]
  if (item === undefined) throw new Error('there is none')
  return item
}
