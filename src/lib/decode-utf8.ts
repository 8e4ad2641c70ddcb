import { Buffer, isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'

/**
 * Decodes UTF-8; a byte order mark is part of the text. Plain ASCII, which most documents are, takes
 * a fiftieth of the time of TextDecoder: 1 ms instead of 55 for 13 MB.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  if (!isAscii(bytes)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
