import { randomBytes, randomUUID } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { unavailable } from '../../core/errors.ts'

const Record = z.object({
  uuid: z.string().min(1),
  claim: z.string().min(32),
  token: z.string().nullable(),
})
type Record = z.infer<typeof Record>

/** The identity of the agent, stored in its folder and readable by its user only. */
export class Identity {
  readonly #file: string
  #record: Record

  private constructor(file: string, record: Record) {
    this.#file = file
    this.#record = record
  }

  /** Reads the identity in a folder, or creates one. */
  static async open(folder: string): Promise<Identity> {
    const file = join(folder, 'identity.json')
    const record = await findRecord(file)
    if (record) return new Identity(file, record)
    const claim = randomBytes(32).toString('hex')
    const identity = new Identity(file, { uuid: randomUUID(), claim, token: null })
    await identity.#save()
    return identity
  }

  get uuid(): string {
    return this.#record.uuid
  }

  /** Proves that a registration comes from this folder. */
  get claim(): string {
    return this.#record.claim
  }

  get token(): string | null {
    return this.#record.token
  }

  async keepToken(token: string | null): Promise<void> {
    if (token === this.#record.token) return
    this.#record = { ...this.#record, token }
    await this.#save()
  }

  async #save(): Promise<void> {
    const draft = `${this.#file}.draft`
    await using handle = await open(draft, 'w', 0o600)
    await handle.chmod(0o600)
    await handle.writeFile(`${JSON.stringify(this.#record, null, 2)}\n`)
    await handle.sync()
    await rename(draft, this.#file)
  }
}

async function findRecord(file: string): Promise<Record | null> {
  try {
    return Record.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw unavailable(`${file} does not hold an identity of an agent`, error)
  }
}
