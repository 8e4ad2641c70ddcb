import { createHash, timingSafeEqual } from 'node:crypto'
import { hash, verify } from '@node-rs/bcrypt'

const COST = 10

/** A hash of the same cost as the stored ones, that no password has: it makes an unknown user as slow as a known one. */
const NOBODY = '$2b$10$VGTnQw0smYCiibyZnSx0UODmHOvvxYP9sdemmDdST9XgmWvquH2lW'

/** The bcrypt hash that is written for a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST)
}

/** Whether a stored hash is of a form that can be checked: bcrypt, or `{SHA}` as older tools wrote it. */
export function isPasswordHash(stored: string): boolean {
  return (
    /^\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}$/.test(stored) ||
    /^\{SHA\}[A-Za-z0-9+/]{27}=$/.test(stored)
  )
}

/**
 * Whether the password belongs to the stored hash. A bcrypt comparison of the same cost is made
 * in every case, also for nobody, so that the time taken tells nothing about who exists.
 */
export async function isPasswordOf(stored: string | null, password: string): Promise<boolean> {
  const bcrypt = stored?.startsWith('$') ? stored : NOBODY
  const matches = await verify(password, bcrypt)
  if (stored === null) return false
  return stored.startsWith('{SHA}') ? isShaOf(stored, password) : matches
}

function isShaOf(stored: string, password: string): boolean {
  const given = createHash('sha1').update(password).digest()
  const kept = Buffer.from(stored.slice('{SHA}'.length), 'base64')
  return given.length === kept.length && timingSafeEqual(given, kept)
}
