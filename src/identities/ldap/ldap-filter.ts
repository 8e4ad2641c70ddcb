import { FilterParser } from 'ldapts'
import { reasonOf } from '../../core/errors.ts'

/** Where the name stands in the filter by which a user is found. */
const PLACE = '{user}'

/** The part of the filter with the attribute of the user name. */
const NAMED = /\(([A-Za-z][\w.;-]*)=\{user\}\)/

/** The attribute that has the name of a user, by the first part such as `(uid={user})`; null without one. */
export function nameAttribute(template: string): string | null {
  return NAMED.exec(template)?.[1] ?? null
}

/** Why a filter cannot be read; null for a good one. */
export function filterProblem(template: string): string | null {
  try {
    FilterParser.parseString(userFilter(template, 'somebody'))
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

/** The filter by which a user is found; whatever the name is, it stays a value in it. */
export function userFilter(template: string, username: string): string {
  return template.split(PLACE).join(escapedValue(username))
}

/** The groups that have one of these as a member, by the names of entries, or a user by its name. */
export function groupFilter(members: readonly string[], username: string | null): string {
  const parts = [
    ...members.flatMap((dn) => [
      `(member=${escapedValue(dn)})`,
      `(uniqueMember=${escapedValue(dn)})`,
    ]),
    ...(username === null ? [] : [`(memberUid=${escapedValue(username)})`]),
  ]
  return `(|${parts.join('')})`
}

/**
 * Escapes a value in a filter (RFC 4515): special characters, and the bytes of anything but ASCII.
 */
function escapedValue(value: string): string {
  return Array.from(Buffer.from(value, 'utf8'), escapedByte).join('')
}

function escapedByte(byte: number): string {
  const text = String.fromCharCode(byte)
  return /^[\w .,=@-]$/.test(text) ? text : `\\${byte.toString(16).padStart(2, '0')}`
}
