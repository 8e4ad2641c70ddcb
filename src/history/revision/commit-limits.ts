import { TextDecoder } from 'node:util'
import { MAX_MESSAGE_LENGTH, type Revision } from '../../core/revision.ts'
import { authorName, oneLine } from './message.ts'
import type { CommitRecord } from '../../git/objects/object-reader.ts'

/** The last moment of the year 9999. Later times do not fit a date with a four-digit year. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const MAX_NAME_LENGTH = 256
const MAX_SUBJECT_LENGTH = 1000
/** Of subject, body and trailers together, in bytes. */
const MAX_TEXT_BYTES = 65_536

const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u

/** The first of some times that every page can show; the beginning of the epoch when there is none. */
export function fitTime(...times: readonly number[]): number {
  return times.find((time) => time > 0 && time <= LATEST) ?? 0
}

/**
 * A revision in a form that lists, pages and feeds can show. Git accepts commits with impossible
 * times, names and subjects, and they cannot be removed from the history.
 */
export function fitRevision(revision: Revision, commit: CommitRecord): Revision {
  const { username, time, serverEdition, serverVersion, subject, message } = revision
  return {
    ...revision,
    username: shortened(UNFIT.test(username) ? authorName(username) : username, MAX_NAME_LENGTH),
    time: fitTime(time, commit.time, commit.committer.time),
    serverEdition: fitLine(serverEdition, MAX_NAME_LENGTH),
    serverVersion: fitLine(serverVersion, MAX_NAME_LENGTH),
    subject: fitLine(subject, MAX_SUBJECT_LENGTH),
    message: shortened(message, MAX_MESSAGE_LENGTH),
  }
}

function fitLine(text: string, longest: number): string {
  return shortened(UNFIT.test(text) ? oneLine(text) : text, longest)
}

function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** The faults in the bytes of a pushed commit, as predicates of a sentence; none when it is fine. */
export function findUnfit(content: Uint8Array): readonly string[] {
  const text = decode(content)
  if (text === null) return ['is not written in UTF-8, nor in another encoding that it names']
  const end = text.indexOf('\n\n')
  const header = (end < 0 ? text : text.slice(0, end)).split('\n')
  const people = ['author', 'committer'].flatMap((role) => findUnfitPerson(header, role))
  return [...people, ...findUnfitMessage(end < 0 ? '' : text.slice(end + 2))]
}

function decode(content: Uint8Array): string | null {
  const end = Buffer.from(content.buffer, content.byteOffset, content.byteLength).indexOf('\n\n')
  const header = Buffer.from(content.subarray(0, end < 0 ? content.length : end)).toString('latin1')
  const encoding = /^encoding (.+)$/m.exec(header)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content)
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null
    throw error
  }
}

function findUnfitPerson(header: readonly string[], role: string): string[] {
  const lines = header.filter((line) => line.startsWith(`${role} `))
  const parts = /^\w+ ([^<>]*) ?<([^<>]*)> (\S+) (\S+)$/.exec(lines[0] ?? '')
  if (lines.length !== 1 || parts === null) return [`does not name one ${role}, with a time`]
  const [, name = '', email = '', seconds = '', zone = ''] = parts
  const unfit: string[] = []
  if (UNFIT.test(name + email)) unfit.push(`has an ${role} with characters that cannot be shown`)
  if (Math.max(name.length, email.length) > MAX_NAME_LENGTH) {
    unfit.push(`has an ${role} of more than ${MAX_NAME_LENGTH} characters`)
  }
  if (!/^\d+$/.test(seconds) || Number(seconds) * 1000 > LATEST) {
    unfit.push(`has the ${role} time ${shown(seconds)}, which is none from 1970 to 9999`)
  }
  if (!/^[+-](0\d|1[0-4])[0-5]\d$/.test(zone)) {
    unfit.push(`has the ${role} time zone ${shown(zone)}, which is none`)
  }
  return unfit
}

function findUnfitMessage(message: string): string[] {
  const [subject = ''] = message.split('\n', 1)
  const unfit: string[] = []
  if (UNFIT.test(subject.replaceAll('\t', ' ').replace(/\r$/, '')) || message.includes('\0')) {
    unfit.push('has a message with characters that cannot be shown')
  }
  if (Buffer.byteLength(message) > MAX_TEXT_BYTES) {
    unfit.push(`has a message of more than ${MAX_TEXT_BYTES} bytes`)
  }
  return unfit
}

function shown(text: string): string {
  return JSON.stringify(shortened(text, 40))
}
