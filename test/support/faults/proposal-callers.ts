import { z } from 'zod'
import type { Answer } from './callers.ts'
import { Recorder } from './recorder.ts'
import type { ProposalCall } from './models.ts'

/** The pipeline that proposals change, which nobody else does. */
const PROPOSED = 'runs-a'
const USER = 'admin'

const Seen = z.object({
  number: z.int(),
  state: z.enum(['open', 'merged', 'closed']),
  approvals: z.array(z.object({ by: z.string(), decision: z.enum(['approve', 'reject']) })),
})

interface ProposalCallersDeps {
  /** @throws {NoAnswer} */
  readonly ask: (path: string, init?: RequestInit) => Promise<Answer>
  readonly complain: (what: string, answer: Answer) => null
}

/** Callers of several servers who propose, review and merge, one proposal after the other. */
export class ProposalCallers {
  /** The calls about each proposal, by its number. */
  readonly recorders = new Map<number, Recorder<ProposalCall>>()
  /** The reasons of the proposals whose merge was acknowledged. */
  readonly merged: string[] = []
  readonly #deps: ProposalCallersDeps
  #count = 0
  #open: { readonly number: number; readonly reason: string } | null = null

  constructor(deps: ProposalCallersDeps) {
    this.#deps = deps
  }

  /** One call after the other, and one proposal at a time: several would be in conflict. */
  calls(): readonly (() => Promise<void>)[] {
    return [
      () => this.#propose(),
      () => this.#review('approve'),
      () => this.#review('reject'),
      () => this.#review('approve'),
      () => this.#look(),
      () => this.#merge(),
    ]
  }

  async #propose(): Promise<void> {
    if (this.#open !== null) return
    this.#count += 1
    const reason = `p${this.#count}`
    await new Recorder<ProposalCall>().record(async () => {
      const { ask, complain } = this.#deps
      const entity = await ask(`/api/config/entities/pipeline/${PROPOSED}`)
      if (entity.status !== 200) return complain('the pipeline to propose', entity)
      const label = `labeltemplate="${reason}-\${COUNT}"`
      const xml = entity.text
        .replace(/ labeltemplate="[^"]*"/, '')
        .replace('<pipeline ', `<pipeline ${label} `)
      const entities = [{ kind: 'pipeline', name: PROPOSED, xml }]
      const answer = await ask(
        '/api/proposals',
        posted({ title: reason, message: reason, entities }),
      )
      if (answer.status !== 201) return complain('a proposal', answer)
      const { number } = Seen.parse(JSON.parse(answer.text))
      if (this.recorders.has(number)) return complain(`the number ${number} again`, answer)
      this.recorders.set(number, new Recorder())
      this.#open = { number, reason }
      return null
    })
  }

  async #review(decision: 'approve' | 'reject'): Promise<void> {
    const call = { kind: 'review', decision } as const
    await this.#act(decision, call)
  }

  async #merge(): Promise<void> {
    const reason = this.#open?.reason
    const call = await this.#act('merge', { kind: 'merge' })
    if (call?.kind === 'merge' && reason !== undefined) this.merged.push(reason)
  }

  async #look(): Promise<void> {
    const open = this.#open
    if (open === null) return
    await this.#recorderOf(open.number).record(async () => {
      const answer = await this.#deps.ask(`/api/proposals/${open.number}`)
      if (answer.status !== 200) return this.#deps.complain(`proposal ${open.number}`, answer)
      const { state, approvals } = Seen.parse(JSON.parse(answer.text))
      const review = approvals.find(({ by }) => by === USER)?.decision ?? null
      if (state !== 'open') this.#leave(open.number)
      return { kind: 'look', state, review }
    })
  }

  async #act(verb: string, done: ProposalCall): Promise<ProposalCall | null> {
    const open = this.#open
    if (open === null) return null
    const { number } = open
    return this.#recorderOf(number).record(async () => {
      const answer = await this.#deps.ask(`/api/proposals/${number}/${verb}`, posted({}))
      if (answer.status === 200) {
        if (verb === 'merge') this.#leave(number)
        return done
      }
      if (answer.status === 403 && verb === 'merge') return { kind: 'held-up' }
      if (answer.status !== 409) return this.#deps.complain(`${verb} ${number}`, answer)
      this.#leave(number)
      return / is (?:merged|closed)"/.test(answer.text) ? { kind: 'over' } : null
    }, done)
  }

  #leave(number: number): void {
    if (this.#open?.number === number) this.#open = null
  }

  #recorderOf(number: number): Recorder<ProposalCall> {
    const recorder = this.recorders.get(number) ?? new Recorder<ProposalCall>()
    this.recorders.set(number, recorder)
    return recorder
  }
}

function posted(body: object): RequestInit {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}
