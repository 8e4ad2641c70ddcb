import { ServiceError } from './errors.ts'

/** What a failed call of the system means. Its own message names files of this machine. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'a file or folder is missing'],
  ['ENOTDIR', 'a file is where a folder has to be'],
  ['EISDIR', 'a folder is where a file has to be'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['ELOOP', 'a symbolic link leads to itself'],
  ['ENAMETOOLONG', 'a name is too long'],
  ['ENOSPC', 'the disk of the server is full'],
  ['EDQUOT', 'the disk of the server is full'],
  ['EROFS', 'the disk of the server is read-only'],
  ['EIO', 'the disk of the server does not work'],
  ['EMFILE', 'the server has too many files open'],
  ['ENFILE', 'the server has too many files open'],
])

/** The faults that the service did not bring about and that pass. */
const OUTAGES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']

/** A path of this machine: one that begins with a slash and does not belong to an address. */
const PATH = /(?<![\w:/.~@$…-])\/[\w.~@+%-][^\s'"`]*/g
const HIDDEN = '…'

const UNKNOWN = 'an error that the log of the service describes'

/**
 * Why something failed, in words that may leave the service: our own errors speak for themselves,
 * of every other error only the code counts.
 */
export function describeFault(error: unknown): string {
  return faultOf(error) ?? UNKNOWN
}

export interface ComplaintContext {
  /** The folder in which the program works. */
  readonly folder: string
  /** What it was asked for by its caller, and so may be named; null for nothing. */
  readonly address?: string | null
}

/** What another program prints when it fails, without the paths of this machine. */
export function withoutPaths(text: string, { folder, address = null }: ComplaintContext): string {
  const pieces = address === null ? [text] : text.split(address)
  const hidden = pieces.map((piece) => piece.replaceAll(folder, HIDDEN).replaceAll(PATH, HIDDEN))
  return hidden.join(address ?? '')
}

/** The outage that an error, or what caused it, is a sign of, as a sentence; null for a bug. */
export function outageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = codeOf(error)
  const words = OUTAGES.includes(code) ? FAULTS.get(code) : undefined
  return words === undefined ? outageOf(error.cause) : sentence(words)
}

/** Whether a disk without room is the reason; the state store has a text of its own for that. */
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

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}
