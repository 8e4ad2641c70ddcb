import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { ConfigDocument } from '../../document/document.ts'
import { type KnownMembers, knownMembersOf } from '../../document/incremental/known-members.ts'
import type { MemberPlace } from '../../document/incremental/find-members.ts'
import type { MemberFacts } from '../../document/model/member-text.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { hashInSteps } from '../../lib/hash-in-steps.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { replaceFile } from '../../storage/durable-fs.ts'

/** Smaller documents are read sooner than it is found out what is known of them, in bytes. */
const LARGE = 2 ** 18
/** How long after a change its document is noted: several may follow each other. */
const DELAY_MS = 10_000

export interface KeptFactsOptions {
  readonly file: string
  /** Identifies the code that found them. */
  readonly program: string
  readonly log: Log
}

const Record = z.object({
  program: z.string(),
  /** The SHA-256 of the document, in hexadecimal digits. */
  document: z.string(),
  /** The length of the text in front of each member with the number of its list, and the length of the member. */
  places: z.string(),
  facts: z.string(),
})
type Record = z.output<typeof Record>

/**
 * The facts about the pipelines of the document in force, if that is large, in a file beside the state: the next start
 * takes them in place of checking the same document by the same program again. Where the file is missing, damaged or
 * about anything else, everything is checked.
 */
export class KeptFacts implements AsyncDisposable {
  readonly #options: KeptFactsOptions
  /** The content of the file. */
  #record: Promise<Record | null>
  #isStart = true
  /** The document that has yet to be noted. */
  #next: ConfigDocument | null = null
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: KeptFactsOptions) {
    this.#options = options
    this.#record = readRecord(options.file)
  }

  /** The members of a document that was found valid; null where nothing is known of it. */
  async find(bytes: Uint8Array): Promise<KnownMembers | null> {
    if (!this.#isStart || bytes.length < LARGE) return null
    const record = await this.#record
    if (record?.program !== this.#options.program) return null
    if (record.document !== (await sha256InTurns(bytes))) return null
    const pipelines = Array.from(unpacked(record.facts), factsFrom)
    return { places: placesFrom(unpacked(record.places)), pipelines }
  }

  /** Notes the valid document in force, some time later or at the end. From then on nothing is found. */
  keep(document: ConfigDocument): void {
    this.#isStart = false
    this.#next = document
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      inBackground(this.#options.log, 'The facts about the pipelines were not noted', this.#note())
    }, DELAY_MS).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    await this.#note()
  }

  #note(): Promise<void> {
    const document = this.#next
    this.#next = null
    if (document) this.#writing = this.#writing.then(() => this.#write(document))
    return this.#writing
  }

  async #write(document: ConfigDocument): Promise<void> {
    const { bytes } = document
    const known = bytes.length < LARGE ? null : await runCooperatively(knownMembersOf(document))
    if (known === null) return
    const { file, program } = this.#options
    const places = packed(known.places.flatMap(numbersOf()))
    const facts = packed(known.pipelines.map(numberOf))
    const record = { program, document: await sha256InTurns(bytes), places, facts }
    const noted = await this.#record
    if (noted?.program === program && noted.document === record.document) return
    const body = JSON.stringify(record)
    await replaceFile(file, `${sha256(Buffer.from(body))}\n${body}`, { newMode: 0o600 })
    this.#record = Promise.resolve(record)
  }
}

async function readRecord(file: string): Promise<Record | null> {
  try {
    const [digest = '', body = ''] = (await readFile(file, 'utf8')).split('\n')
    if (sha256(Buffer.from(body)) !== digest) return null
    return Record.parse(JSON.parse(body))
  } catch {
    return null
  }
}

const LISTS = ['pipelines', 'templates', 'agents'] as const

function numbersOf(): (place: MemberPlace) => readonly number[] {
  let last = 0
  return ({ list, start, end }) => {
    const gap = start - last
    last = end
    return [gap * LISTS.length + LISTS.indexOf(list), end - start]
  }
}

function placesFrom(numbers: Uint32Array): readonly MemberPlace[] {
  const places: MemberPlace[] = []
  let last = 0
  for (let n = 0; n + 1 < numbers.length; n += 2) {
    const [first = 0, length = 0] = [numbers[n], numbers[n + 1]]
    const start = last + Math.floor(first / LISTS.length)
    last = start + length
    places.push({ list: LISTS[first % LISTS.length] ?? 'pipelines', start, end: last })
  }
  return places
}

/** Tens of thousands of numbers as one text, since a form for each of them takes longer than to read what they are about. */
function packed(numbers: readonly number[]): string {
  return Buffer.from(Uint32Array.from(numbers).buffer).toString('base64')
}

function unpacked(text: string): Uint32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'))
  return new Uint32Array(bytes.buffer, 0, bytes.length >> 2)
}

const FLAGS = [
  'isPlainBesideJobs',
  'hasJobOnAllAgents',
  'hasPlainSecrets',
  'hasPlainJobs',
  'isSelfContained',
  'isValid',
] as const

function numberOf(facts: MemberFacts): number {
  return FLAGS.reduce((sum, flag) => 2 * sum + Number(facts[flag]), facts.parts)
}

function factsFrom(number: number): MemberFacts {
  const has = (flag: (typeof FLAGS)[number]) => {
    const place = FLAGS.length - 1 - FLAGS.indexOf(flag)
    return Math.floor(number / 2 ** place) % 2 === 1
  }
  return {
    parts: Math.floor(number / 2 ** FLAGS.length),
    isPlainBesideJobs: has('isPlainBesideJobs'),
    hasPlainSecrets: has('hasPlainSecrets'),
    hasPlainJobs: has('hasPlainJobs'),
    hasJobOnAllAgents: has('hasJobOnAllAgents'),
    isSelfContained: has('isSelfContained'),
    isValid: has('isValid'),
  }
}

/** The same with turns for others between. */
function sha256InTurns(bytes: Uint8Array): Promise<string> {
  return runCooperatively(hashInSteps({ algorithm: 'sha256' }, bytes))
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
