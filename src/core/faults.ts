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
  ['EAGAIN', 'the server has no processes or threads left'],
  ['ERR_WORKER_INIT_FAILED', 'the server has no processes or threads left'],
  ['ENOMEM', 'the server has no memory left'],
])

const NO_SERVER = 'nothing listens at its address'
const CLOSED = 'the connection was closed'
const NO_TIME = 'there was no answer in time'
const NO_WAY = 'no network leads to its address'
const UNKNOWN_ISSUER = 'the certificate is not trusted here'

/** The meanings of failed connections. Their own messages contain addresses. */
const CONNECTION_FAULTS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', NO_SERVER],
  ['ECONNRESET', CLOSED],
  ['ECONNABORTED', CLOSED],
  ['EPIPE', CLOSED],
  ['ECONNECTION', CLOSED],
  ['UND_ERR_SOCKET', CLOSED],
  ['CONNECTION_CLOSED', CLOSED],
  ['CONNECTION_ENDED', CLOSED],
  ['CONNECTION_DESTROYED', CLOSED],
  ['ETIMEDOUT', NO_TIME],
  ['CONNECT_TIMEOUT', NO_TIME],
  ['UND_ERR_CONNECT_TIMEOUT', NO_TIME],
  ['UND_ERR_HEADERS_TIMEOUT', NO_TIME],
  ['UND_ERR_BODY_TIMEOUT', NO_TIME],
  ['ENOTFOUND', 'the name of the host is unknown'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up now'],
  ['EHOSTUNREACH', NO_WAY],
  ['EHOSTDOWN', NO_WAY],
  ['ENETUNREACH', NO_WAY],
  ['ENETDOWN', NO_WAY],
  ['EADDRINUSE', 'another program listens there'],
  ['EADDRNOTAVAIL', 'this machine does not have that address'],
  ['EACCES', 'this program may not use that address'],
  ['EPERM', 'this program may not use that address'],
  ['EPROTO', 'the other side does not speak TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the other side does not speak TLS'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_ISSUER],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_ISSUER],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_ISSUER],
])
/** System calls that are about an address. */
const OF_CONNECTIONS: readonly unknown[] = ['connect', 'listen', 'bind', 'getaddrinfo']

/** Transient faults with external causes. */
const OUTAGES = [
  'EACCES',
  'EPERM',
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'ERR_WORKER_INIT_FAILED',
  'ENOMEM',
]

/** A path of this machine: it starts with a slash and is not part of an address. */
const PATH = /(?<![\w:/.~@$…-])\/[\w.~@+%-][^\s'"`]*/g
const HIDDEN = '…'

const UNKNOWN = 'an error that the log of the service describes'

/**
 * Describes a failure for callers outside: our own errors by their message, every other one by its
 * code only.
 */
export function describeFault(error: unknown, machine = 'the server'): string {
  return faultOf(error, machine) ?? UNKNOWN
}

/** The words for the code of a failed connection; the code where there are none. */
export function describeConnectionCode(code: string): string {
  return CONNECTION_FAULTS.get(code) ?? code
}

/** Describes why a `fetch` got no answer, to those who know its address. */
export function describeFailedFetch(error: Error): string {
  const { cause } = error
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  if (!(first instanceof Error)) return error.message
  return CONNECTION_FAULTS.get(codeOf(first)) ?? first.message
}

/**
 * Describes a failed system call of a program whose console belongs to those who read it, with the path in the form
 * that they know, or the address; null for any other error.
 */
export function describeSystemFault(
  error: unknown,
  { machine, shown = String }: { machine: string; shown?: (path: string) => string },
): string | null {
  if (!(error instanceof Error && 'syscall' in error)) return null
  const isOfConnection = OF_CONNECTIONS.includes(error.syscall)
  const words = (isOfConnection ? CONNECTION_FAULTS : FAULTS).get(codeOf(error))
  if (words === undefined) return null
  const place = isOfConnection ? addressOf(error) : pathOf(error, shown)
  const said = words.replace('the server', machine)
  return place === null ? capitalised(said) : `${place}: ${said}`
}

function pathOf(error: Error, shown: (path: string) => string): string | null {
  return 'path' in error && typeof error.path === 'string' ? shown(error.path) : null
}

function addressOf(error: Error): string | null {
  if ('hostname' in error) return String(error.hostname)
  if (!('address' in error)) return null
  const host = String(error.address)
  if (!('port' in error)) return host
  return `${host.includes(':') ? `[${host}]` : host}:${String(error.port)}`
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

function faultOf(error: unknown, machine: string): string | null {
  if (error instanceof ServiceError) return error.message
  if (!(error instanceof Error)) return null
  return FAULTS.get(codeOf(error))?.replace('the server', machine) ?? faultOf(error.cause, machine)
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
