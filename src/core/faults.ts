import { ServiceError } from './errors.ts'
import { capitalised } from '../lib/texts.ts'

/** The meanings of failed system calls. Their own messages contain paths of this machine. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'a file or folder is missing'],
  ['ENOTDIR', 'a file is where a folder has to be'],
  ['EISDIR', 'a folder is where a file has to be'],
  ['ENXIO', 'a pipe or device is where a file has to be'],
  ['EEXIST', 'something else is in its place'],
  ['EACCES', 'the server may not use a file or folder that it needs'],
  ['EPERM', 'the server may not use a file or folder that it needs'],
  ['ELOOP', 'a symbolic link leads to itself'],
  ['ENAMETOOLONG', 'a name is too long'],
  ['ENOSPC', 'the disk of the server is full'],
  ['EDQUOT', 'the disk of the server is full'],
  ['EROFS', 'the disk of the server is read-only'],
  ['EIO', 'the disk of the server does not work'],
  ['EMFILE', 'the server has too many files open'],
  ['ENFILE', 'the server has too many files open'],
])

/** Transient faults with external causes. */
const OUTAGES = ['EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']

/** A path of this machine: it starts with a slash and is not part of an address. */
const PATH = /(?<![\w:/.~@$…-])\/[\w.~@+%-][^\s'"`]*/g
const HIDDEN = '…'

const UNKNOWN = 'an error that the log of the service describes'

/**
 * Describes a failure for callers outside: our own errors by their message, every other one by its
 * code only.
 */
export function describeFault(error: unknown): string {
  return faultOf(error) ?? UNKNOWN
}

/**
 * Describes a failed system call of a program whose console belongs to those who read it, with the path in the form
 * that they know; null for any other error.
 */
export function describeSystemFault(
  error: unknown,
  { machine, shown = String }: { machine: string; shown?: (path: string) => string },
): string | null {
  if (!(error instanceof Error && 'syscall' in error)) return null
  const words = FAULTS.get(codeOf(error))?.replace('the server', machine)
  if (words === undefined) return null
  const isPlaced = 'path' in error && typeof error.path === 'string'
  return isPlaced ? `${shown(String(error.path))}: ${words}` : capitalised(words)
}

export interface ComplaintContext {
  /** The working folder of the program. */
  readonly folder: string
  /** The address in the request, which may be named; null for none. */
  readonly address?: string | null
}

/** Removes the paths of this machine from the error output of another program. */
export function withoutPaths(text: string, { folder, address = null }: ComplaintContext): string {
  const pieces = address === null ? [text] : text.split(address)
  const hidden = pieces.map((piece) => piece.replaceAll(folder, HIDDEN).replaceAll(PATH, HIDDEN))
  return hidden.join(address ?? '')
}

/** The outage behind an error or its cause, as a sentence; null for a bug. */
export function outageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = codeOf(error)
  const words = OUTAGES.includes(code) ? FAULTS.get(code) : undefined
  return words === undefined ? outageOf(error.cause) : capitalised(words)
}

/** Whether a full disk is the cause; the state store has its own text for that. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(error)) || /disk is full/i.test(error.message)
  return isFull || isDiskFull(error.cause)
}

function faultOf(error: unknown): string | null {
  if (error instanceof ServiceError) return error.message
  if (!(error instanceof Error)) return null
  return FAULTS.get(codeOf(error)) ?? faultOf(error.cause)
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
