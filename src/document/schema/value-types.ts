/** A type of values, with the message "it must …" for others. */
export interface ValueType {
  readonly must: string
  /** All values, as far as they can be listed. */
  readonly values?: readonly string[]
  /** The whole of a value as a regular expression, where that says it. */
  readonly pattern?: string
  readonly maxLength?: number
  /** The type at other versions of the schema than the one that is known exactly, where they take more. */
  readonly elsewhere?: ValueType
  accepts(value: string): boolean
}

const SPACE = '[ \\t\\r\\n]'
const ENDS = 'and not begin or end with a dot or a space'
const NAMES = '1 to 255 letters, digits, "_", "-" and "."'
const LABEL_PIECE = "[a-zA-Z0-9_\\-.!~*'()#:]"
const LABEL_VARIABLE = `[$#]\\{${LABEL_PIECE}+(?:\\[:[0-9]+\\])?\\}`
const PATH = '[^. ][^\\n\\r]+[^. ]|[^. ]{1,2}'
const MAX_VERSION = 139

/** White space around numbers and booleans does not count. */
function trimmed(must: string, pattern: string): ValueType {
  return matching(must, `${SPACE}*(?:${pattern})${SPACE}*`)
}

function matching(must: string, pattern: string): ValueType {
  const whole = new RegExp(`^(?:${pattern})$`, 'u')
  return { must, pattern, accepts: (value) => whole.test(value) }
}

function oneOf(...values: readonly string[]): ValueType {
  const must = `be one of ${values.join(', ')}`
  return { must, values, accepts: (value) => values.includes(value) }
}

function atMost(length: number): ValueType {
  const must = `have at most ${length} characters`
  return { must, maxLength: length, accepts: (value) => Array.from(value).length <= length }
}

const NUMBER = trimmed('be a number', '\\+?[0-9]+')

/** The version of the schema that a document names, or null where it names none that exists. */
export function parseSchemaVersion(value: string): number | null {
  if (!NUMBER.accepts(value)) return null
  const version = Number(value)
  return version >= 1 && version <= MAX_VERSION ? version : null
}

const PATH_ELSEWHERE = matching(`not be empty, ${ENDS}`, `(?:\\./)?\\.[^. ]+|${PATH}`)
const NONBLANK = matching('not be blank', '[^]*[^ \\t\\r\\n][^]*')

/** The types of attributes and texts, by the names that the schema uses. */
export const VALUE_TYPES = {
  text: { must: 'be text', accepts: () => true },
  filled: matching('not be empty', '[^]+'),
  nonblank: NONBLANK,
  nospace: matching('not be empty or contain white space', '[^ \\t\\r\\n]+'),
  name: matching(`have ${NAMES}, and not begin with "."`, '[a-zA-Z0-9_\\-][a-zA-Z0-9_\\-.]{0,254}'),
  jobname: matching(`have ${NAMES}`, '[a-zA-Z0-9_\\-.]{1,255}'),
  path: { ...matching(`not be empty, ${ENDS}`, PATH), elsewhere: PATH_ELSEWHERE },
  path2: PATH_ELSEWHERE,
  label: {
    ...matching(
      "have only letters, digits and _-.!~*'()#: beside at least one ${name} or #{param}",
      `${LABEL_PIECE}*(?:${LABEL_VARIABLE}${LABEL_PIECE}*)+`,
    ),
    elsewhere: NONBLANK,
  },
  command: {
    ...matching(
      'not be empty, and not begin or end with white space',
      '[^ \\t\\r\\n](?:[^\\r\\n]*[^ \\t\\r\\n])?',
    ),
    elsewhere: NONBLANK,
  },
  boolean: { ...trimmed('be true or false', 'true|false|1|0'), values: ['true', 'false'] },
  integer: trimmed('be a whole number', '[+-]?[0-9]+'),
  positive: trimmed('be a whole number above 0', '\\+?0*[1-9][0-9]*'),
  double: trimmed(
    'be a number',
    '[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?|-?INF|NaN',
  ),
  email: matching('contain "@"', '[^]*@[^]*'),
  siteUrl: matching('begin with http:// or https://', 'https?://[^\\r\\n]+'),
  secureSiteUrl: matching('begin with https://', 'https://[^\\r\\n]+'),
  optionalSiteUrl: matching(
    'be empty or begin with http:// or https://',
    '(?:https?://[^\\r\\n]+)?',
  ),
  optionalSecureSiteUrl: matching('be empty or begin with https://', '(?:https://[^\\r\\n]+)?'),
  tabName: atMost(15),
  upTo512: atMost(512),
  approvalType: oneOf('success', 'manual'),
  runStatus: oneOf('passed', 'failed', 'any'),
  lockBehavior: oneOf('lockOnFailure', 'unlockWhenFinished', 'none'),
  artifactType: oneOf('build', 'test', 'external'),
  artifactOrigin: oneOf('gocd', 'external'),
  version: {
    ...NUMBER,
    must: `be a schema version from 1 to ${MAX_VERSION}`,
    accepts: (value: string) => parseSchemaVersion(value) !== null,
  },
} as const satisfies Readonly<Record<string, ValueType>>

export type ValueTypeName = keyof typeof VALUE_TYPES

export function isValueType(name: string): name is ValueTypeName {
  return Object.hasOwn(VALUE_TYPES, name)
}
