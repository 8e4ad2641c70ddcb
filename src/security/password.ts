import { createHash, timingSafeEqual } from 'node:crypto'
import { hash, verifySync } from '@node-rs/bcrypt'

const COST = 10
/** No unknown user costs more than this, whatever stands in the users file. */
const HIGHEST_COST = 13

/** Salt and hash that no password has: comparisons with it make every login as slow as the others. */
const NOBODY = 'VGTnQw0smYCiibyZnSx0UODmHOvvxYP9sdemmDdST9XgmWvquH2lW'

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

/** What a login costs where these hashes are: as much as the dearest of them. */
export function costOfLogin(hashes: Iterable<string>): number {
  const highest = Array.from(hashes, costOf).reduce((high, cost) => Math.max(high, cost), COST)
  return Math.min(highest, HIGHEST_COST)
}

/** A password to compare with the stored hash of a user; null for nobody's. */
export interface PasswordCheck {
  readonly password: string
  readonly stored: string | null
  /** What every comparison costs, whoever it is of. */
  readonly cost: number
}

/**
 * Whether the password belongs to the stored hash. bcrypt works for the same time in every case,
 * also for nobody, so that the time taken tells nothing about who exists. All other work of the
 * thread waits for that.
 */
export function isPasswordOf({ password, stored, cost }: PasswordCheck): boolean {
  const isBcrypt = stored?.startsWith('$') ?? false
  const matches = isBcrypt && stored !== null && verifySync(password, stored)
  spend(password, { from: isBcrypt ? costOf(stored ?? '') : null, to: cost })
  return stored?.startsWith('{SHA}') ? isShaOf(stored, password) : matches
}

/** Each step of the cost doubles the work: what one comparison did is doubled until all is done. */
function spend(
  password: string,
  { from, to }: { readonly from: number | null; readonly to: number },
): void {
  if (from === null) verifySync(password, nobodyOf(to))
  else for (let cost = from; cost < to; cost += 1) verifySync(password, nobodyOf(cost))
}

function nobodyOf(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${NOBODY}`
}

/** The cost that a bcrypt hash names; 0 for another hash. */
function costOf(stored: string): number {
  return stored.startsWith('$') ? Number(stored.split('$')[2]) : 0
}

function isShaOf(stored: string, password: string): boolean {
  const given = createHash('sha1').update(password).digest()
  const kept = Buffer.from(stored.slice('{SHA}'.length), 'base64')
  return given.length === kept.length && timingSafeEqual(given, kept)
}
