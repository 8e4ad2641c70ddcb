import { TextDecoder } from 'node:util'
import { isObjectName, MAX_OBJECT_NAME_LENGTH } from '../../core/object-name.ts'
import { CommitSha } from '../../core/revision.ts'
import type { CommitRecord } from './object-reader.ts'
import type { Signature } from '../signature.ts'

const TREE = 'tree '

/** The name of the tree of a commit. */
export function parseCommitTree(content: Uint8Array): string {
  const start = content.subarray(0, TREE.length + MAX_OBJECT_NAME_LENGTH + 1)
  const [line = ''] = Buffer.from(start).toString('latin1').split('\n')
  const tree = line.slice(TREE.length)
  if (!line.startsWith(TREE) || !isObjectName(tree)) throw new RangeError('A commit names no tree')
  return tree
}

/** Reads the bytes of a commit. Lines end with LF only. */
export function parseCommit(sha: CommitSha, content: Uint8Array): CommitRecord {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const blank = bytes.indexOf('\n\n')
  const decoder = decoderOf(bytes.subarray(0, blank < 0 ? bytes.length : blank))
  const header = decoder.decode(bytes.subarray(0, blank < 0 ? bytes.length : blank)).split('\n')
  const author = parseSignature(valueOf(header, 'author'))
  return {
    sha,
    parents: header.filter((line) => line.startsWith('parent ')).map(parentOf),
    author: author.name,
    time: author.time,
    committer: parseSignature(valueOf(header, 'committer')),
    message: blank < 0 ? '' : upToNul(decoder.decode(bytes.subarray(blank + 2))),
  }
}

/**
 * Reads `Name <email> seconds zone` as git does. Signatures of other tools may lack any part; a
 * missing text becomes empty, a missing time 0.
 */
export function parseSignature(text: string): Signature {
  const open = text.indexOf('<')
  if (open < 0) return { name: trim(text), email: '', time: 0 }
  const close = text.indexOf('>', open)
  const [, seconds = '0'] = /^\s*(\d+)/.exec(text.slice(text.lastIndexOf('>') + 1)) ?? []
  return {
    name: trim(text.slice(0, open)),
    email: trim(text.slice(open + 1, close < 0 ? text.length : close)),
    time: Number(seconds) * 1000,
  }
}

/** Git ignores the rest of a message. */
function upToNul(message: string): string {
  return message.split('\0', 1)[0] ?? ''
}

/** The decoder for the encoding that a commit names. */
function decoderOf(header: Buffer): TextDecoder {
  const label = /^encoding (.+)$/m.exec(header.toString('latin1'))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label, { ignoreBOM: true })
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder('utf-8', { ignoreBOM: true })
    throw error
  }
}

function valueOf(header: readonly string[], key: string): string {
  const line = header.find((candidate) => candidate.startsWith(`${key} `))
  return line?.slice(key.length + 1) ?? ''
}

function parentOf(line: string): CommitSha {
  return CommitSha.parse(line.slice('parent '.length))
}

/** git trims these blanks only. */
function trim(text: string): string {
  return text.replace(/^[ \t\v\f\r]+|(?<![ \t\v\f\r])[ \t\v\f\r]+$/g, '')
}
