import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new token of an agent. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept of a secret that is random and long, so that a plain hash is enough. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Compares in a time that tells nothing. */
export function isSecretOf(hash: string, secret: string): boolean {
  const [kept, given] = [Buffer.from(hash), Buffer.from(hashSecret(secret))]
  return kept.length === given.length && timingSafeEqual(kept, given)
}
