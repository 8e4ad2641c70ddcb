import { type Duplex, pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { ServiceError } from '../core/errors.ts'
import { malformed } from './parameters.ts'

const HEADER = 'content-encoding'
const IDENTITY = 'identity'

/** The stream that unpacks each coding, chosen by the first bytes of the body. */
const UNPACKING = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // Some programs send it without the zlib frame that the standard requires.
  deflate: (first: Uint8Array) => (hasZlibFrame(first) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
} as const satisfies Record<string, (first: Uint8Array) => Duplex>

type Coding = keyof typeof UNPACKING

/** Whether the body is sent in a coding, and has to be unpacked. */
export function isCoded({ headers }: Request): boolean {
  return codingOf(headers) !== IDENTITY
}

/**
 * The body of a request as it was before its content coding.
 *
 * @throws {ServiceError} `coding-unsupported`, and `malformed-request` while it is read.
 */
export function plainBody({ headers, body }: Request): AsyncIterable<Uint8Array> {
  const coding = codingOf(headers)
  const sent = body ?? Readable.from([])
  if (coding === IDENTITY) return sent
  if (!isKnown(coding)) throw unsupported(coding)
  return unpacked(sent, coding)
}

/** The error for a body in a coding that is not unpacked here. */
export function unsupported(coding: string): ServiceError<'coding-unsupported'> {
  const taken = Object.keys(UNPACKING).join(', ')
  const message = `Bodies in the content coding "${coding}" are not read; ${taken} are`
  return new ServiceError('coding-unsupported', message, { coding })
}

/** @throws {ServiceError} `coding-unsupported` where the body has to arrive as it is. */
export function assertNotCoded(request: Request): void {
  if (isCoded(request)) throw unsupported(codingOf(request.headers))
}

async function* unpacked(
  sent: AsyncIterable<Uint8Array>,
  coding: Coding,
): AsyncGenerator<Uint8Array> {
  const parts = sent[Symbol.asyncIterator]()
  const first = await parts.next()
  if (first.done === true) return
  const packed = Readable.from(rejoined(first.value, parts), { objectMode: false })
  const plain = UNPACKING[coding](first.value)
  // An error is thrown to the reader below.
  pipeline(packed, plain, () => undefined)
  try {
    yield* plain
  } catch (error) {
    if (!isZlibError(error)) throw error
    throw malformed(`The body is not ${coding}, as its content coding says`, 'body')
  } finally {
    plain.destroy()
  }
}

async function* rejoined(first: Uint8Array, others: AsyncIterator<Uint8Array>) {
  yield first
  for (let part = await others.next(); part.done !== true; part = await others.next()) {
    yield part.value
  }
}

/** The coding, in lower case; a list of several is unsupported. */
function codingOf(headers: Headers): string {
  return headers.get(HEADER)?.trim().toLowerCase() || IDENTITY
}

function isKnown(coding: string): coding is Coding {
  return Object.hasOwn(UNPACKING, coding)
}

function hasZlibFrame([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0
}

/** Errors of zlib and of brotli, by the codes that Node gives them. */
function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:Z_|ERR_+ERROR_)/.test(String(error.code))
}
