import { crc32 } from 'node:zlib'

const LINE_FEED = 10
const CHECKSUM_LENGTH = 8

/** A line with a correct checksum. */
export interface CheckedLine {
  /** The text, without checksum and line feed. */
  readonly body: Buffer
  /** The offset after its line feed. */
  readonly end: number
}

/** Renders a line of a file: a checksum, and the text. */
export function renderCheckedLine(text: string): string {
  return `${checksumOf(text)} ${text}\n`
}

/** The lines of a file up to the first damaged or unfinished one. */
export function* checkedLines(bytes: Buffer): Generator<CheckedLine, void> {
  let start = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    const body = bytes.subarray(start + CHECKSUM_LENGTH + 1, end)
    if (bytes.toString('latin1', start, start + CHECKSUM_LENGTH) !== checksumOf(body)) return
    start = end + 1
    yield { body, end: start }
  }
}

function checksumOf(text: Uint8Array | string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}
