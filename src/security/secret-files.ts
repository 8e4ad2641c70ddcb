import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isUtf8 } from 'node:buffer'
import { describeFault } from '../core/faults.ts'
import { fsErrorCode } from '../storage/fs-error.ts'
import { isWithin } from '../storage/folders.ts'

const MAX_SECRET_BYTES = 65_536
const MAX_NAME_BYTES = 255
/** The names that a mount of Kubernetes begins its own folders with. */
const OF_MOUNTS = '..'
const FLAG = '--secrets-dir'

/** The name of a secret: that of its secret config, which is a folder, and that of its file there. */
export interface SecretName {
  readonly config: string
  readonly key: string
}

/** The reason why a secret cannot be read, as the end of a sentence. */
export class SecretMissing extends Error {
  override readonly name = 'SecretMissing'
}

/**
 * Secrets that something else keeps in files, `CONFIG/KEY` in one folder: a mount of Kubernetes, an agent of Vault, or
 * whatever writes them. They are read anew for every use, so that one that is replaced counts at once.
 */
export class SecretFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = resolve(folder)
  }

  /** Why a secret cannot be read, as far as its file shows without being read; null where it can. */
  readonly whyMissing = (secret: SecretName): string | null =>
    orReason(() => {
      this.#find(secret)
    })

  /** Why none of the secrets of a secret config can be read; null where it has a folder. */
  readonly whyNone = (config: string): string | null =>
    orReason(() => {
      const what = `folder ${config}`
      if (!this.#stat([config], what).stats.isDirectory()) throw missing(what)
    })

  /**
   * Reads a secret. A line break at its end does not belong to it.
   *
   * @throws {SecretMissing}
   */
  async read(secret: SecretName): Promise<string> {
    const what = nameOf(secret)
    const bytes = await readFile(this.#find(secret)).catch((error: unknown) => {
      throw unreadable(what, error)
    })
    if (bytes.length > MAX_SECRET_BYTES) throw tooLarge(what, bytes.length)
    const text = bytes.toString('utf8').replace(/\r?\n$/, '')
    if (!isUtf8(bytes) || text.includes('\0')) throw bad(`the ${what} below ${FLAG} is not text`)
    if (text === '') throw bad(`the ${what} below ${FLAG} is empty`)
    return text
  }

  #find(secret: SecretName): string {
    const what = nameOf(secret)
    const { path, stats } = this.#stat([secret.config, secret.key], what)
    if (!stats.isFile()) throw missing(what)
    if (stats.size > MAX_SECRET_BYTES) throw tooLarge(what, stats.size)
    if (stats.size === 0) throw bad(`the ${what} below ${FLAG} is empty`)
    return path
  }

  #stat(names: readonly string[], what: string) {
    if (!names.every(isPlainName)) throw bad(`the ${what} cannot be below ${FLAG} by that name`)
    try {
      const path = realpathSync(join(this.#folder, ...names))
      if (!isWithin(path, realpathSync(this.#folder))) {
        throw bad(`the ${what} leads out of ${FLAG}`)
      }
      accessSync(path, constants.R_OK)
      return { path, stats: statSync(path) }
    } catch (error) {
      throw error instanceof SecretMissing ? error : unreadable(what, error)
    }
  }
}

/** Whether a name is that of one entry of a folder, and of none that a mount keeps for itself. */
function isPlainName(name: string): boolean {
  const isEntry = name !== '' && name !== '.' && !/[/\\\0]/.test(name)
  return isEntry && !name.startsWith(OF_MOUNTS) && Buffer.byteLength(name) <= MAX_NAME_BYTES
}

function nameOf({ config, key }: SecretName): string {
  return `file ${config}/${key}`
}

function orReason(look: () => void): string | null {
  try {
    look()
    return null
  } catch (error) {
    if (error instanceof SecretMissing) return error.message
    throw error
  }
}

function bad(reason: string): SecretMissing {
  return new SecretMissing(reason)
}

function missing(what: string): SecretMissing {
  return bad(`there is no ${what} below ${FLAG}`)
}

function tooLarge(what: string, size: number): SecretMissing {
  return bad(
    `the ${what} below ${FLAG} has ${size} bytes, and at most ${MAX_SECRET_BYTES} are read`,
  )
}

function unreadable(what: string, error: unknown): SecretMissing {
  const code = fsErrorCode(error)
  if (code === null) throw error
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(what)
  const message = `the ${what} below ${FLAG} cannot be read: ${describeFault(error)}`
  return new SecretMissing(message, { cause: error })
}
