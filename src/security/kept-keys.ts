import { basename } from 'node:path'
import { ServiceError } from '../core/errors.ts'
import { describeFault } from '../core/faults.ts'
import type { Log } from '../lib/log.ts'
import { putBackSecretKeys, readSecretKeys, type SecretKeys } from './secret-keys.ts'

export interface KeptKeysOptions {
  readonly file: string
  /** The keys in use. */
  readonly keys: SecretKeys
  readonly log: Log
}

const LOOK_INTERVAL_MS = 1_000
const LOSS = 'what they sealed cannot be opened after the next start'

/**
 * Keeps the key file in place while its keys are in use: what they seal could never be opened again
 * if the last copy of them ended with this process. Whatever else is in its place is left alone.
 */
export class KeptKeys implements AsyncDisposable {
  readonly #options: KeptKeysOptions
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> = Promise.resolve()
  #problem: string | null = null

  constructor(options: KeptKeysOptions) {
    this.#options = options
    this.#timer = setInterval(() => {
      this.#looking = this.#lookNext()
    }, LOOK_INTERVAL_MS).unref()
  }

  /** Why keys in use may be lost, as sentences. */
  problems(): readonly string[] {
    return this.#problem === null ? [] : [this.#problem]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#lookNext()
  }

  async #lookNext(): Promise<void> {
    await this.#looking
    this.#problem = await this.#look()
  }

  async #look(): Promise<string | null> {
    const { file, keys, log } = this.#options
    const name = basename(file)
    try {
      const found = await readSecretKeys(file)
      if (found === null) {
        await putBackSecretKeys(file, keys)
        log({ level: 'warning', message: `${name} was removed, and is put back` })
      }
      const isWhole =
        found === null || keys.every((key) => found.some((each) => Buffer.compare(each, key) === 0))
      return isWhole ? null : `${name} lacks keys that are in use: put them back, or ${LOSS}`
    } catch (error) {
      if (error instanceof ServiceError)
        return `${name} holds no keys: put those in use back, or ${LOSS}`
      return `${name} with the keys in use cannot be read: ${describeFault(error)}`
    }
  }
}
