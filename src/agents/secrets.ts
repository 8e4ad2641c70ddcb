import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of a secret, which is random and long, so that a plain hash is enough. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Compares in constant time. */
export function isSecretOf(hashed: string, secret: string): boolean {
  const [expected, given] = [Buffer.from(hashed), Buffer.from(hashSecret(secret))]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** Whether a key makes approval unnecessary; `unused` when no such key is configured. */
export type KeyVerdict = 'right' | 'wrong' | 'unused'

/** Checks keys against the server's setting and the key of the configuration. */
export function autoRegisterKeys(setting: string | null, configuration: CurrentConfiguration) {
  return (given: string): KeyVerdict => {
    const { server } = configuration.read().configuration
    const used = [setting ?? '', server?.agentAutoRegisterKey ?? ''].filter((key) => key !== '')
    if (used.length === 0) return 'unused'
    return used.some((key) => isSecretOf(hashSecret(key), given)) ? 'right' : 'wrong'
  }
}
