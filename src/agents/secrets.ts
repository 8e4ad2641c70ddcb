import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new token of an agent. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of a secret, which is random and long, so that a plain hash is enough. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Compares in constant time. */
export function isSecretOf(hashed: string, secret: string): boolean {
  const [kept, given] = [Buffer.from(hashed), Buffer.from(hashSecret(secret))]
  return kept.length === given.length && timingSafeEqual(kept, given)
}
