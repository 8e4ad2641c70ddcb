import { crc32, inflateRawSync } from 'node:zlib'

const END = 0x06054b50
const DEFLATED = 8

/** The files of a zip and what is in them, by the directory at its end. */
export function readZip(bytes: Buffer): Record<string, string> {
  const end = bytes.length - 22
  if (bytes.readUInt32LE(end) !== END) throw new Error('there is no end of a zip')
  const files: Record<string, string> = {}
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field))
    const path = bytes.toString('utf8', at + 46, at + 46 + (name ?? 0))
    files[path] = contentOf(bytes, at).toString('utf8')
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return files
}

function contentOf(bytes: Buffer, entry: number): Buffer {
  const local = bytes.readUInt32LE(entry + 42)
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
  const packed = bytes.subarray(start, start + bytes.readUInt32LE(entry + 20))
  const isDeflated = bytes.readUInt16LE(entry + 10) === DEFLATED
  const content = isDeflated ? inflateRawSync(packed) : packed
  if (crc32(content) !== bytes.readUInt32LE(entry + 16)) throw new Error('a checksum is wrong')
  return content
}
