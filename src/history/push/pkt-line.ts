/** One line of git's protocols; null is the flush that ends a list. */
export type PktLine = string | null

const LENGTH_DIGITS = 4
const FLUSH = '0000'

/** A line with its length in front, or a flush. */
export function renderPktLine(line: PktLine): string {
  if (line === null) return FLUSH
  const length = Buffer.byteLength(line) + LENGTH_DIGITS
  return `${length.toString(16).padStart(LENGTH_DIGITS, '0')}${line}`
}

/** Parses the lines of git's protocols from a stream, without trailing line feeds. */
export async function* readPktLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<PktLine> {
  for await (const frame of readPktFrames(chunks)) {
    const isFlush = frame.toString('latin1', 0, LENGTH_DIGITS) === FLUSH
    yield isFlush ? null : frame.toString('utf8', LENGTH_DIGITS).replace(/\n$/, '')
  }
}

/** The same lines as bytes, each with its length in front. */
export async function* readPktFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    for (let length = lengthOf(rest); rest.length >= length; length = lengthOf(rest)) {
      const end = Math.max(length, LENGTH_DIGITS)
      yield rest.subarray(0, end)
      rest = rest.subarray(end)
    }
  }
}

/** The size of the next line with its length prefix; 0 for a flush, infinity while it is unknown. */
function lengthOf(bytes: Buffer): number {
  if (bytes.length < LENGTH_DIGITS) return Number.POSITIVE_INFINITY
  const digits = bytes.toString('latin1', 0, LENGTH_DIGITS)
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
  if (length === 0 || length >= LENGTH_DIGITS) return length
  throw new RangeError(`"${digits}" is not the length of a line`)
}
