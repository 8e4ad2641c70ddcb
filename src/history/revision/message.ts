import { z } from 'zod'
import { parseJsonOr } from '../../lib/parse-json.ts'
import { Digest, isDigest } from '../../core/digest.ts'
import { UNFIT_IN_MESSAGE } from '../../core/revision.ts'

/** The facts that a commit's message records and git cannot hold natively. */
export interface RecordedFacts {
  readonly digest: Digest
  /** Milliseconds since the UNIX epoch. */
  readonly time: number
  readonly schemaVersion: number
  readonly serverEdition: string
  readonly serverVersion: string
  /** The exact name of the user, or null when the author of the commit is it. */
  readonly username: string | null
}

/** The form of a message shows its writer, and so the committer who vouches for it. */
export interface RecordedMessage extends RecordedFacts {
  readonly form: 'trailers' | 'original'
}

export interface MessageParts extends Omit<RecordedFacts, 'username'> {
  readonly username: string
  readonly subject: string
  /** May have several lines, and may be empty. */
  readonly message: string
  /** More facts, behind those of each revision. */
  readonly trailers?: readonly Trailer[]
}

/** A fact of a commit: its name and its value, on one line. */
export type Trailer = readonly [name: string, value: string]

const Count = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

const Facts = z.object({
  digest: Digest,
  time: Count,
  schemaVersion: Count,
  serverEdition: z.string(),
  serverVersion: z.string(),
  username: z.string().nullable(),
})

/**
 * Renders the message of a commit: a summary of the changes, the reason if there is one, then the
 * facts as trailers, so that `git log --format='%(trailers:key=Config-MD5,valueonly)'` reads them too.
 * The facts are the last paragraph, whatever the reason looks like: it forges none.
 */
export function renderMessage(parts: MessageParts): string {
  const exact = authorName(parts.username) === parts.username ? [] : [parts.username]
  const message = plainLines(parts.message)
  return [
    oneLine(parts.subject) || 'Change the configuration',
    '',
    ...(message === '' ? [] : [message, '']),
    `Config-MD5: ${parts.digest}`,
    `Config-Time: ${parts.time}`,
    `Schema-Version: ${parts.schemaVersion}`,
    `Server-Edition: ${oneLine(parts.serverEdition)}`,
    `Server-Version: ${oneLine(parts.serverVersion)}`,
    ...exact.map((username) => `Config-User: ${JSON.stringify(username)}`),
    ...(parts.trailers ?? []).map(([name, value]) => `${name}: ${oneLine(value)}`),
    '',
  ].join('\n')
}

/** The facts of a message in this service's form or in the original's; null for any other. */
export function parseMessage(message: string): RecordedMessage | null {
  return parseTrailers(message) ?? parseOriginal(message)
}

/** The first line of a message. Only a line feed ends a line, as in git. */
export function subjectOf(message: string): string {
  const end = message.indexOf('\n')
  return end < 0 ? message : message.slice(0, end)
}

/** The lines below the subject without the facts of {@link parseMessage}; may be empty. */
export function bodyOf(message: string): string {
  const below = message.slice(subjectOf(message).length)
  const reason = below.slice(0, factsIn(below)?.start)
  if (reason.trim() === '' || parseOriginal(message) !== null) return ''
  return plainLines(reason)
}

/** The reason in the words of an author: a message without trailers that git would read in it. */
export function reasonIn(message: string): string {
  const paragraphs = plainLines(message).split('\n\n')
  const last = paragraphs.at(-1) ?? ''
  const isTrailers = last.split('\n').every((line) => TRAILER_LINE.test(line))
  const reason = (isTrailers ? paragraphs.slice(0, -1) : paragraphs).join('\n\n').trim()
  return SHOWN.test(reason.replaceAll(UNSEEN, '')) ? reason : ''
}

/** Characters that nobody sees, some of which count as letters. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]/gu
const SHOWN = /[\p{L}\p{N}\p{P}\p{S}]/u

const TRAILER_LINE = /^[A-Za-z][A-Za-z0-9-]*: |^\s/

/** The trailers behind the facts of a message, such as `Proposal: 7`; none where the facts are missing. */
export function trailersOf(message: string): readonly Trailer[] {
  const facts = factsIn(message)?.match[0] ?? ''
  return facts.split('\n').flatMap((line) => {
    const [, key = '', value = ''] = /^([A-Z][A-Za-z-]*): (.*)$/.exec(line) ?? []
    return key === '' || FACTS.includes(key) ? [] : [[key, value] as const]
  })
}

/** The values of the trailers of a name. */
export function trailerValues(trailers: readonly Trailer[], wanted: string): readonly string[] {
  return trailers.flatMap(([name, value]) => (name === wanted ? [value] : []))
}

/** The keys of the facts that every message has. */
const FACTS: readonly string[] = [
  'Config-MD5',
  'Config-Time',
  'Schema-Version',
  'Server-Edition',
  'Server-Version',
  'Config-User',
]

/**
 * Normalises a text to lines that every terminal and page can show, without empty ones at either
 * end.
 */
function plainLines(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replaceAll(EVERY_UNFIT, ' ').trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/^\n+|\n+$/g, '')
}

const EVERY_UNFIT = new RegExp(UNFIT_IN_MESSAGE, 'gu')

/**
 * The author name of a commit. Characters that git cannot hold or a terminal does not show are
 * percent-encoded, so that two users never look alike; an empty name becomes `%`.
 */
export function authorName(username: string): string {
  const start = username.trimEnd()
  const blanks = username.slice(start.length)
  return start.replace(UNFIT_IN_NAME, escapeText) + escapeText(blanks) || '%'
}

const UNFIT_IN_NAME = /[<>%\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|^\s+/gu

function escapeText(text: string): string {
  return Array.from(text, escapeCharacter).join('')
}

function escapeCharacter(character: string): string {
  if (character.isWellFormed()) return encodeURIComponent(character)
  return `%u${character.charCodeAt(0).toString(16)}`
}

export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
}

/** Parses the trailers of the last paragraph, to which other tools may have added lines. */
const TRAILERS = new RegExp(
  [
    '\\nConfig-MD5: ([0-9a-f]{32})',
    '\\nConfig-Time: (\\d{1,15})',
    '\\nSchema-Version: (\\d{1,15})',
    '\\nServer-Edition: ?([^\\n]*)',
    '\\nServer-Version: ?([^\\n]*)',
    '(?:\\nConfig-User: ([^\\n]*))?',
    '(?:\\n[^\\n]+)*$',
  ].join(''),
)

/** The facts of a message, which are in its last paragraph: where the search begins, it finds them at once. */
function factsIn(
  message: string,
): { readonly start: number; readonly match: RegExpExecArray } | null {
  const text = message.replace(/(?<!\n)\n+$/, '')
  const paragraph = Math.max(0, text.lastIndexOf('\n\n'))
  const match = TRAILERS.exec(text.slice(paragraph))
  return match && { start: paragraph + match.index, match }
}

function parseTrailers(message: string): RecordedMessage | null {
  const match = factsIn(message)?.match
  if (match === undefined) return null
  const [, digest = '', time, schemaVersion, serverEdition = '', serverVersion = '', user] = match
  const username = user === undefined ? null : parseJsonOr(user, () => undefined)
  if ((username !== null && typeof username !== 'string') || !isDigest(digest)) return null
  return {
    form: 'trailers',
    digest,
    time: Number(time),
    schemaVersion: Number(schemaVersion),
    serverEdition,
    serverVersion,
    username,
  }
}

/** `user:U|timestamp:MS|schema_version:N|go_edition:E|go_version:V|md5:D`, a bar inside a value doubled. */
function parseOriginal(message: string): RecordedMessage | null {
  if (!message.startsWith('user:')) return null
  const fields = new Map(splitBars(message.replace(/\n$/, '')).map(splitField))
  const facts = Facts.safeParse({
    digest: fields.get('md5'),
    time: fields.get('timestamp'),
    schemaVersion: fields.get('schema_version'),
    serverEdition: fields.get('go_edition') ?? 'OpenSource',
    serverVersion: fields.get('go_version') ?? 'N/A',
    username: fields.get('user'),
  })
  return facts.success ? { ...facts.data, form: 'original' } : null
}

function splitBars(text: string): string[] {
  const parts = text.match(/(?:[^|]|\|\|)+/g) ?? []
  return parts.map((part) => part.replaceAll('||', '|'))
}

function splitField(field: string): [string, string] {
  const colon = field.indexOf(':')
  return [field.slice(0, colon), field.slice(colon + 1)]
}
