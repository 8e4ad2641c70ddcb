import { buffer } from 'node:stream/consumers'
import { constants, createDeflate, deflateSync } from 'node:zlib'

const FAST = { level: constants.Z_BEST_SPEED }
/** Bytes that are compressed in about a millisecond. */
const SMALL = 256 * 1024

/**
 * Compresses parts as one, at the speed that git calls 1. Small ones are compressed at once: the
 * round trips to the thread pool would take longer than the work.
 */
export async function deflated(parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  // A copy, because what zlib returns is a part of 16 KB, however small it is, and is kept for a while.
  if (size <= SMALL) return new Uint8Array(deflateSync(Buffer.concat(parts), FAST))
  const deflate = createDeflate({ ...FAST, chunkSize: SMALL })
  for (const part of parts) deflate.write(part)
  deflate.end()
  return buffer(deflate)
}
