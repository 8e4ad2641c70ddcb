import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The prefix by which scanners find leaked secrets. */
const TOKEN = 'cairn_'
const INVITATION = 'cairninvite_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 178 bits cannot be guessed, so a plain hash protects them as well as a slow one. */
const RANDOM = 30
const CHECKSUM = 6
const REST = new RegExp(`^[0-9A-Za-z]{${RANDOM + CHECKSUM}}$`)
/** The leading hexadecimal digits of a hash that identify its secret. */
const ID = 16

/** A new token: the prefix, random characters, and the checksum of these, CRC-32 in base 62. */
export function newApiToken(): string {
  return newSecret(TOKEN)
}

/** A new invitation of an agent, in the same form with its own prefix. */
export function newInvitation(): string {
  return newSecret(INVITATION)
}

/** The id of a new session, as stored in its cookie. */
export function newSessionSecret(): string {
  return randomText(RANDOM)
}

/** Whether a text means to be a token, also one that was copied badly. */
export function meansApiToken(text: string): boolean {
  return text.startsWith(TOKEN)
}

/** The same for an invitation. */
export function meansInvitation(text: string): boolean {
  return text.startsWith(INVITATION)
}

/** Whether a text has the form of a token, with its checksum. */
export function isApiToken(text: string): boolean {
  return isSecret(text, TOKEN)
}

/** The same for an invitation. */
export function isInvitation(text: string): boolean {
  return isSecret(text, INVITATION)
}

/** The stored part of an issued secret: its hash, and the id by which it is found. */
export function keptOf(secret: string): { readonly id: string; readonly hash: string } {
  const digest = hash('sha256', secret)
  return { id: digest.slice(0, ID), hash: digest }
}

function newSecret(prefix: string): string {
  const random = randomText(RANDOM)
  return `${prefix}${random}${checksumOf(random)}`
}

function isSecret(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix)) return false
  const rest = text.slice(prefix.length)
  return REST.test(rest) && rest.endsWith(checksumOf(rest.slice(0, RANDOM)))
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM; place += 1) {
    digits = (ALPHABET[rest % ALPHABET.length] ?? '') + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}
