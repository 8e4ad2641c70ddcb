import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * `AES:` nonce `:` cipher text and tag, in base64, or in base64url where it is in an address.
 * The original's own form has the same shape with a longer nonce, which distinguishes the two.
 */
const SEALED = /^AES:([\w+/-]{16}):([\w+/-]{22,}={0,2})$/

/**
 * Seals secrets so that they may be in the configuration. The first key
 * seals; every key opens, so that older revisions stay readable after a rotation.
 */
export class SecretBox {
  /** For another thread of this process that seals as this box does. */
  readonly keys: readonly Uint8Array[]
  readonly #newest: Uint8Array

  constructor(keys: readonly Uint8Array[]) {
    const [newest] = keys
    if (!newest || keys.some((key) => key.length !== KEY_BYTES)) {
      throw new RangeError(`a secret box needs keys of ${KEY_BYTES} bytes`)
    }
    this.#newest = newest
    this.keys = keys
  }

  /** A text of its own each time, even for the same secret. */
  seal(secret: string): string {
    return this.#sealWith(randomBytes(NONCE_BYTES), secret)
  }

  /** The same text each time for the same secret, so that what is shown twice is equal. */
  sealRepeatably(secret: string): string {
    const mac = createHmac('sha256', this.#newest).update(`nonce\0${secret}`).digest()
    return this.#sealWith(mac.subarray(0, NONCE_BYTES), secret)
  }

  #sealWith(nonce: Buffer, secret: string): string {
    const cipher = createCipheriv(CIPHER, this.#newest, nonce, { authTagLength: TAG_BYTES })
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    const sealed = Buffer.concat([body, cipher.getAuthTag()])
    return `AES:${nonce.toString('base64')}:${sealed.toString('base64')}`
  }

  /** The secret, or null when none of the keys sealed this text. */
  open(sealed: string): string | null {
    for (const key of this.keys) {
      const secret = openWith(key, sealed)
      if (secret !== null) return secret
    }
    return null
  }

  /** A key for something else than secrets: it opens nothing of this box, and the box nothing of it. */
  keyFor(purpose: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#newest, '', purpose, KEY_BYTES))
  }

  /** Whether the key that seals today sealed this text. */
  isCurrent(sealed: string): boolean {
    return openWith(this.#newest, sealed) !== null
  }
}

function openWith(key: Uint8Array, sealed: string): string | null {
  const [, nonce, rest] = SEALED.exec(sealed) ?? []
  if (nonce === undefined || rest === undefined) return null
  const bytes = Buffer.from(rest, 'base64')
  if (bytes.length < TAG_BYTES) return null
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64'), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const body = decipher.update(bytes.subarray(0, -TAG_BYTES))
  return isAuthentic(decipher) ? body.toString('utf8') : null
}

/** The library reports a wrong tag by an error without a code of its own. */
function isAuthentic(decipher: { final(): Buffer }): boolean {
  try {
    decipher.final()
    return true
  } catch (error) {
    if (error instanceof Error && error.message.includes('unable to authenticate')) return false
    throw error
  }
}
