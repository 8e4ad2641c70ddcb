/** The pattern of the name of a git object: 40 lower-case hexadecimal digits with SHA-1, 64 with SHA-256. */
export const OBJECT_NAME = '(?:[0-9a-f]{40}(?:[0-9a-f]{24})?)'

/** The maximum length of such a name, in characters. */
export const MAX_OBJECT_NAME_LENGTH = 64

/** The hashes by which a repository may name its objects, as git calls them. */
export const OBJECT_FORMATS = ['sha1', 'sha256'] as const
export type ObjectFormatName = (typeof OBJECT_FORMATS)[number]

const WHOLE = new RegExp(`^${OBJECT_NAME}$`)

/** Whether a text is the whole name of a git object. */
export function isObjectName(text: string): boolean {
  return WHOLE.test(text)
}
