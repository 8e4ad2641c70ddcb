import { isServiceAuthor } from './revision.ts'

/** Invisible and unassigned characters: controls, formats, directions, fillers. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu')

/**
 * The canonical form of a user name: compatible characters, such as full-width ones, and blanks are
 * unified, and blanks at the ends removed.
 */
export function normalUsername(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .replaceAll(/^ | $/g, '')
}

/** The look-up key of a user's name, the same for all that a directory or a person takes for one name. */
export function usernameKey(name: string): string {
  return normalUsername(normalUsername(name).replaceAll(ALL_UNSEEN, '').toLowerCase())
}

/** Why no user can have the name; null for a good one. */
export function usernameProblem(name: string): string | null {
  if (!/^[^:#\s\p{Cc}][^:\p{Cc}]{0,254}$/u.test(name))
    return 'A user name has 1 to 255 characters, no colon, and does not begin with # or a space'
  const unseen = UNSEEN.exec(name)?.[0]
  if (unseen !== undefined)
    return `A user name has no invisible and no unassigned characters: this one has ${codeOf(unseen)}`
  const normal = normalUsername(name)
  if (name !== normal)
    return `The user name "${name}" is not written in its normal form, which is "${normal}"`
  return null
}

/**
 * The problem of a name for a new user, such as one that the service itself uses; null for a good
 * one.
 */
export function newUsernameProblem(name: string): string | null {
  const problem = usernameProblem(name)
  if (problem !== null || !isServiceAuthor(usernameKey(name))) return problem
  return `The user name ${name} is reserved: the service signs revisions of its own by names like it`
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
