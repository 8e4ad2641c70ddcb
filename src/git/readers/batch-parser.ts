import { OBJECT_NAME } from '../../core/object-name.ts'
import { MAX_OBJECT_BYTES, TooLargeError } from '../objects/damage.ts'
import type { RawObject } from '../objects/raw-object.ts'

/** An answer of `git cat-file --batch`: an object, or null for one that is not there. */
export type OnAnswer = (object: RawObject | null) => void

interface Body {
  readonly type: RawObject['type']
  /** The content and the line feed that ends it. */
  readonly bytes: Buffer<ArrayBuffer>
  filled: number
}

const HEADER = new RegExp(`^(${OBJECT_NAME}) (blob|tree|commit|tag) (\\d+)$`)
const MAX_HEADER_LENGTH = 1 << 16
const LINE_FEED = 10
const NOTHING = Buffer.alloc(0)

/**
 * Parses the output of `git cat-file --batch` in chunks of any size. The content of an object is
 * copied once, into the returned buffer.
 */
export class BatchParser {
  readonly #onAnswer: OnAnswer
  #header: Buffer = Buffer.alloc(0)
  #body: Body | null = null

  constructor(onAnswer: OnAnswer) {
    this.#onAnswer = onAnswer
  }

  /**
   * @throws {RangeError} when the bytes are not such output.
   * @throws {TooLargeError} at the header of an object above the size limit.
   */
  push(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0)
      rest = this.#body ? this.#fill(this.#body, rest) : this.#readHeader(rest)
  }

  #readHeader(chunk: Buffer): Buffer {
    const end = chunk.indexOf(LINE_FEED)
    const piece = end < 0 ? chunk : chunk.subarray(0, end)
    const header = this.#header.length === 0 ? piece : Buffer.concat([this.#header, piece])
    if (header.length > MAX_HEADER_LENGTH) throw new RangeError('git answers with no objects')
    this.#header = end < 0 ? header : NOTHING
    if (end < 0) return NOTHING
    this.#begin(header.toString('utf8'))
    return chunk.subarray(end + 1)
  }

  #begin(header: string): void {
    const [, oid = '', type, digits] = HEADER.exec(header) ?? []
    if (digits === undefined || !isType(type)) {
      if (!/ (missing|ambiguous)$/.test(header)) throw new RangeError(`git answers ${header}`)
      this.#onAnswer(null)
      return
    }
    const size = Number(digits)
    if (size > MAX_OBJECT_BYTES) throw new TooLargeError(oid, size)
    this.#body = { type, bytes: Buffer.allocUnsafeSlow(size + 1), filled: 0 }
  }

  #fill(body: Body, chunk: Buffer): Buffer {
    const copied = chunk.copy(body.bytes, body.filled)
    body.filled += copied
    if (body.filled === body.bytes.length) {
      this.#body = null
      this.#onAnswer({ type: body.type, content: body.bytes.subarray(0, -1) })
    }
    return chunk.subarray(copied)
  }
}

function isType(type: string | undefined): type is RawObject['type'] {
  return type === 'blob' || type === 'tree' || type === 'commit' || type === 'tag'
}
