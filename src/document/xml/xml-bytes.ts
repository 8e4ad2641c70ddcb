import { Buffer, isUtf8 } from 'node:buffer'
import type { Problem } from '../../core/problem.ts'
import { decodeUtf8 } from '../../lib/decode-utf8.ts'
import { positionOf } from '../text/line-index.ts'

export type Decoding =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: Problem }

const START = { line: 1, column: 1 } as const
const REPLACEMENT = '\uFFFD'

/** The text of a document, its byte order mark included. Only UTF-8 is read, and nothing is replaced. */
export function decodeXml(bytes: Uint8Array): Decoding {
  const foreign = foreignEncoding(bytes)
  if (foreign) {
    const message = `the document is encoded in ${foreign}; only UTF-8 is accepted`
    return { ok: false, problem: { message, ...START } }
  }
  const text = decodeUtf8(bytes)
  if (isUtf8(bytes)) return { ok: true, text }
  return { ok: false, problem: notUtf8(bytes, text) }
}

/** Wide encodings show a mark, or a zero byte beside the first character. */
function foreignEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  if (/^(0000feff|fffe0000|0000003c|3c000000)/.test(head)) return 'UTF-32'
  if (/^(feff|fffe|00..|..00)/.test(head)) return 'UTF-16'
  return null
}

function notUtf8(bytes: Uint8Array, loose: string): Problem {
  const { offset, byte } = firstBadByte(bytes, loose)
  const hex = (bytes[byte] ?? 0).toString(16).padStart(2, '0').toUpperCase()
  const message = `the byte 0x${hex} is not valid UTF-8 here`
  return { message, ...positionOf(loose, offset) }
}

/** Finds the first replacement character that the document itself did not write. */
function firstBadByte(bytes: Uint8Array, loose: string): { offset: number; byte: number } {
  let offset = -1
  let byte = 0
  do {
    const next = loose.indexOf(REPLACEMENT, offset + 1)
    byte += Buffer.byteLength(loose.slice(offset + 1, next))
    offset = next
    if (!isReplacement(bytes, byte)) return { offset, byte }
    byte += 3
  } while (offset >= 0)
  return { offset: 0, byte: 0 }
}

function isReplacement(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd
}
