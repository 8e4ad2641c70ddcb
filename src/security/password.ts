import { createHash, timingSafeEqual } from 'node:crypto'
import { hash, verifySync } from '@node-rs/bcrypt'
import { malformedRequest } from '../core/errors.ts'

/** The default cost of a password: the logarithm of its work. */
export const PASSWORD_COST = 10
/** The limit of the cost for unknown users, whatever the users file contains. */
const MAX_COST = 13

/**
 * A salt and hash without a password: comparing with it makes logins of unknown users as slow as
 * others.
 */
const NOBODY = 'VGTnQw0smYCiibyZnSx0UODmHOvvxYP9sdemmDdST9XgmWvquH2lW'

/** The number of bytes of a password that bcrypt uses; it silently ignores the rest. */
const MAX_PASSWORD_BYTES = 72

/** The minimum length of a new password, in bytes. */
const MIN_PASSWORD_BYTES = 8

/** How the password of a user is hashed. */
export interface NewPasswordOptions {
  /** The cost of the hash; the usual one when absent. */
  readonly cost?: number | undefined
  /** Whether a short password is taken: the operator chose it before there were users. */
  readonly mayBeShort?: boolean
}

/**
 * Hashes a new password with bcrypt.
 *
 * @throws {ServiceError} `malformed-request` for one that nobody may have.
 */
export async function hashNewPassword(
  password: string,
  { cost, mayBeShort = false }: NewPasswordOptions = {},
): Promise<string> {
  assertPassword(password, { mayBeShort })
  return hashPassword(password, cost)
}

/** Whether a password has fewer bytes than a new one must have. */
function isShort(password: string): boolean {
  return Buffer.byteLength(password) < MIN_PASSWORD_BYTES
}

/** @throws {ServiceError} `malformed-request` for a password that nobody may have. */
export function assertPassword(password: string, { mayBeShort = false } = {}): void {
  const isLongEnough = mayBeShort ? password !== '' : !isShort(password)
  if (isLongEnough && !isCut(password) && !/\p{Cc}/u.test(password)) return
  const message = `A password has ${MIN_PASSWORD_BYTES} to ${MAX_PASSWORD_BYTES} bytes, and no line breaks`
  throw malformedRequest(message, 'password')
}

/** Hashes a password with bcrypt, whatever it is. */
export function hashPassword(password: string, cost: number = PASSWORD_COST): Promise<string> {
  return hash(password, cost)
}

function isCut(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES
}

/** Whether a stored hash has a supported form: bcrypt, or `{SHA}` of older tools. */
export function isPasswordHash(stored: string): boolean {
  return (
    /^\$2[abxy]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(stored) ||
    /^\{SHA\}[A-Za-z0-9+/]{27}=$/.test(stored)
  )
}

/** The cost of every log-in: that of the most expensive of these hashes, or the minimum. */
export function costOfLogin(hashes: Iterable<string>, least: number): number {
  const highest = Array.from(hashes, costOf).reduce((high, cost) => Math.max(high, cost), least)
  return Math.min(highest, MAX_COST)
}

/** A password and the stored hash of a user; null for an unknown one. */
export interface PasswordCheck {
  readonly password: string
  readonly stored: string | null
  /** The cost of every comparison, whichever user it is for. */
  readonly cost: number
}

/**
 * Whether the password belongs to the stored hash. bcrypt runs for the same time in every case,
 * also for unknown users, so that the time does not disclose which users exist. It blocks its
 * thread.
 */
export function isPasswordOf({ password, stored, cost }: PasswordCheck): boolean {
  const isBcrypt = stored?.startsWith('$') ?? false
  const isEqual = isBcrypt && stored !== null && verifySync(password, stored)
  // A longer password would be hashed by its beginning alone.
  const matches = isEqual && !isCut(password)
  spend(password, { from: isBcrypt ? costOf(stored ?? '') : null, to: cost })
  return stored?.startsWith('{SHA}') ? isShaOf(stored, password) : matches
}

/**
 * Each step of the cost doubles the work: repeats the comparison's work until the total is reached.
 */
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

/** The cost in a bcrypt hash; 0 for another hash. */
function costOf(stored: string): number {
  return stored.startsWith('$') ? Number(stored.split('$')[2]) : 0
}

function isShaOf(stored: string, password: string): boolean {
  const given = createHash('sha1').update(password).digest()
  const expected = Buffer.from(stored.slice('{SHA}'.length), 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
