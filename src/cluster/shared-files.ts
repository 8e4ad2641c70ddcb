import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '../core/errors.ts'
import type { SecretKeys } from '../security/secret-keys.ts'
import { type Driver, textColumn } from '../state/sql.ts'
import { replaceFile } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'

/** The file in the folder of consoles and artifacts that names its database. */
const MARKER = '.cairn-database'
const ARTIFACTS = 'artifacts'
const KEY = 'key:'

const KNOWN = 'SELECT key, value FROM shared_file'
const NOTE = `INSERT INTO shared_file (key, value) VALUES (?, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`
const FORGET = `DELETE FROM shared_file WHERE key = ?`

/**
 * The files that must be the same on every server of a database: a server with other files is
 * refused.
 */
export class SharedFiles {
  readonly #driver: Driver
  readonly #known: Map<string, string>

  private constructor(driver: Driver, known: Map<string, string>) {
    this.#driver = driver
    this.#known = known
  }

  static async read(driver: Driver): Promise<SharedFiles> {
    const rows = await driver.query(KNOWN)
    const known = rows.map((row) => [textColumn(row, 'key'), textColumn(row, 'value')] as const)
    return new SharedFiles(driver, new Map(known))
  }

  /** Whether a folder of consoles and artifacts belongs to a database. */
  static async isMarked(folder: string): Promise<boolean> {
    return (await readMark(folder)) !== null
  }

  /** Forgets the keys and the folder, which are lost. */
  async beginAnew(): Promise<void> {
    for (const key of this.#known.keys()) await this.#driver.query(FORGET, key)
    this.#known.clear()
  }

  /**
   * Records the keys of this server. Keys of a rotation are added; null stands for keys that are
   * yet to be created.
   *
   * @throws {ServiceError} `unavailable` when it lacks one that sealed secrets on another server.
   */
  async agreeOnKeys(keys: SecretKeys | null, file: string): Promise<void> {
    this.assertKeys(keys, file)
    for (const print of printsOf(keys)) if (!this.#known.has(print)) await this.#note(print, '')
  }

  /** @throws {ServiceError} `unavailable` when these lack a key of the database. */
  assertKeys(keys: SecretKeys | null, file: string): void {
    const prints = printsOf(keys)
    const missing = [...this.#known.keys()].find(
      (known) => known.startsWith(KEY) && !prints.includes(known),
    )
    if (missing !== undefined) {
      throw unavailable(
        `${file} lacks the key ${missing.slice(KEY.length)} of this database: every server needs the same file, copy it from one that has it`,
      )
    }
  }

  /**
   * Marks the folder of consoles and artifacts as belonging to the database.
   *
   * @throws {ServiceError} `unavailable` when it is another one than before.
   */
  async agreeOnArtifacts(folder: string): Promise<void> {
    const here = await this.assertArtifacts(folder)
    if (this.#known.has(ARTIFACTS)) return
    await mkdir(folder, { recursive: true })
    const id = here ?? randomUUID()
    await replaceFile(join(folder, MARKER), `${id}\n`)
    await this.#note(ARTIFACTS, id)
  }

  /**
   * Asserts that the folder belongs to the database, and returns its mark, if it has one.
   *
   * @throws {ServiceError} `unavailable` when it is another one.
   */
  async assertArtifacts(folder: string): Promise<string | null> {
    const here = await readMark(folder)
    const known = this.#known.get(ARTIFACTS)
    if (known !== undefined && here !== known) {
      throw unavailable(
        `${folder} is not the folder of consoles and artifacts of this database: every server needs the same one, mount it there`,
      )
    }
    return here
  }

  async #note(key: string, value: string): Promise<void> {
    await this.#driver.query(NOTE, key, value)
    this.#known.set(key, value)
  }
}

async function readMark(folder: string): Promise<string | null> {
  const text = await orNullWhenAbsent(readFile(join(folder, MARKER), 'utf8'))
  return text?.trim() ?? null
}

function printsOf(keys: SecretKeys | null): string[] {
  return (keys ?? []).map((key) => `${KEY}${fingerprintOf(key)}`)
}

/** Keys are random, so that a part of their hash tells nothing of them. */
function fingerprintOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16)
}
