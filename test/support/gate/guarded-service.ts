import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashPassword } from '../../../src/security/password.ts'
import { until } from '../programs/until.ts'
import { save } from '../service/saving.ts'
import { type CalledService, openService, QUICK_COST } from '../service/service.ts'
import { tempDir } from '../disk/temp-folder.ts'
import { GUARDED, PEOPLE, type Person } from './guarded-document.ts'

const NO_RULES = 'version: 1\nrules: []\n'

export interface Outcome {
  readonly status: number
  /** The text of the answer. */
  readonly text: string
}

export interface Called {
  /** Names are the same in other letters. */
  readonly as?: Person | Uppercase<Person>
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
}

/** The content of a proposal, with the words that a test cares about. */
export type Proposed = Readonly<Record<string, unknown>>

/** Gives a service the people and the document of the guarded group. */
export async function guard<Service extends CalledService>(service: Service): Promise<Service> {
  const hash = await hashPassword('p', QUICK_COST)
  const users = PEOPLE.map((name) => `${name}:${hash}\n`)
  appendFileSync(join(service.folder, 'state', 'users.htpasswd'), users.join(''))
  const asRoot = { as: 'root:p' }
  await until(async () => (await service.fetch('/api/agents', asRoot)).status === 200)
  const saved = await save(service, GUARDED)
  if (saved.status !== 200) throw new Error(await saved.text())
  return service
}

/** A service whose rules guard a group, with the calls by which people try to get around them. */
export class GuardedService {
  readonly service: CalledService

  constructor(service: CalledService) {
    this.service = service
  }

  static async open(clock: () => number = Date.now): Promise<GuardedService> {
    return new GuardedService(await guard(await openService([], tempDir(), { clock })))
  }

  async call(path: string, { as = 'root', ...init }: Called = {}): Promise<Outcome> {
    const answer = await this.service.fetch(path, { ...init, as: `${as}:p` })
    return { status: answer.status, text: await answer.text() }
  }

  put(document: string, called: Called = {}): Promise<Outcome> {
    const headers = { 'if-match': '*', ...called.headers }
    const path = '/api/admin/config.xml'
    return this.call(path, { ...called, method: 'PUT', body: document, headers })
  }

  async document(): Promise<string> {
    return (await this.call('/api/admin/config.xml')).text
  }

  /** Puts the rules, and fails where they are not taken. */
  async rules(body: string): Promise<void> {
    const there = await this.call('/api/admin/rules.yaml')
    const headers: Record<string, string> =
      there.status === 404 ? { 'if-none-match': '*' } : { 'if-match': '*' }
    const put = await this.call('/api/admin/rules.yaml', { method: 'PUT', body, headers })
    if (put.status !== 200) throw new Error(put.text)
  }

  /** Does something that no rule holds up. */
  async freely<Result>(rules: string, work: () => Promise<Result>): Promise<Result> {
    await this.rules(NO_RULES)
    try {
      return await work()
    } finally {
      await this.rules(rules)
    }
  }

  /** Puts the document back where something has changed it. */
  async reset(rules: string): Promise<void> {
    if ((await this.document()) === GUARDED) return
    await this.freely(rules, () => this.put(GUARDED))
  }

  post(path: string, body: object, called: Called = {}): Promise<Outcome> {
    const headers = { 'content-type': 'application/json', ...called.headers }
    return this.call(path, { ...called, method: 'POST', body: JSON.stringify(body), headers })
  }

  /** Proposes, and gives the number. */
  async propose(as: Person, content: Proposed): Promise<number> {
    const made = await this.post('/api/proposals', { title: 'A change', ...content }, { as })
    if (made.status !== 201) throw new Error(made.text)
    return Number(JSON.parse(made.text).number)
  }

  /** Does something with a proposal. */
  act(as: Person, number: number, verb: string, body: object = {}): Promise<Outcome> {
    return this.post(`/api/proposals/${number}/${verb}`, body, { as })
  }

  /** The same, which has to succeed. */
  async must(as: Person, number: number, verb: string, body: object = {}): Promise<void> {
    const { status, text } = await this.act(as, number, verb, body)
    if (status !== 200) throw new Error(`${verb} by ${as}: ${status} ${text}`)
  }

  /** The revisions, the newest first. */
  async revisions(): Promise<readonly { readonly commitSHA: string }[]> {
    return JSON.parse((await this.call('/api/config/revisions?limit=5')).text)
  }
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
