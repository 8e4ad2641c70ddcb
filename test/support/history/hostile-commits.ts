import { gitBytes } from '../git/git.ts'

const PERSON = 'Mal <mal@example.org>'

interface RawCommit {
  readonly author?: string
  readonly committer?: string
  readonly header?: string
  readonly message?: string | Uint8Array
}

/** Commits that no honest tool writes, with the reason for which a push of them is refused. */
export const HOSTILE_COMMITS = {
  'a time beyond all dates': {
    author: `${PERSON} 99999999999999 +0000`,
    why: /has the author time "99999999999999", which is none from 1970 to 9999/,
  },
  'a time beyond all numbers': {
    author: `${PERSON} ${'9'.repeat(400)} +0000`,
    why: /has the author time "9{39}…", which is none/,
  },
  'a committer time beyond all dates': {
    committer: `${PERSON} 8640000000001 +0000`,
    why: /has the committer time "8640000000001"/,
  },
  'both times beyond all dates': {
    author: `${PERSON} 99999999999999 +0000`,
    committer: `${PERSON} 99999999999999 +0000`,
    why: /has the committer time "99999999999999"/,
  },
  'a time before the epoch': {
    author: `${PERSON} -86400 +0000`,
    why: /has the author time "-86400"/,
  },
  'a time that is no number': { author: `${PERSON} NaN +0000`, why: /the author time "NaN"/ },
  'a time zone that is none': {
    author: `${PERSON} 1700000000 +9999`,
    why: /the author time zone "\+9999", which is none/,
  },
  'no time': { author: PERSON, why: /does not name one author, with a time/ },
  'an author with control characters': {
    author: 'Mal\u001b[31m\u0007\u0085 <mal@example.org> 1700000000 +0000',
    why: /has an author with characters that cannot be shown/,
  },
  'an author with a carriage return': {
    author: 'Mal\rory <mal@example.org> 1700000000 +0000',
    why: /has an author with characters/,
  },
  'an author with a separator of lines': {
    author: 'Mal\u2028ory <mal@example.org> 1700000000 +0000',
    why: /has an author with characters/,
  },
  'an author without end': {
    author: `${'M'.repeat(100_000)} <mal@example.org> 1700000000 +0000`,
    why: /has an author of more than 256 characters/,
  },
  'a subject with control characters': {
    message: 'Fine\u0000\u0008\u001b[2J\n',
    why: /has a message with characters that cannot be shown/,
  },
  'a message without end': {
    message: `${'m'.repeat(100_000)}\n`,
    why: /has a message of more than 65536 bytes/,
  },
  'bytes that are no text': {
    message: Buffer.from([0xff, 0xfe, 0x41, 0xc3, 0x28, 0x0a]),
    why: /is not written in UTF-8, nor in another encoding that it names/,
  },
  'an encoding that is none': { header: 'encoding klingon', why: /is not written in UTF-8/ },
} as const satisfies Readonly<Record<string, RawCommit & { readonly why: RegExp }>>

/** Writes a commit as described, with the tree of its parent; no branch moves. */
export function writeCommit(
  folder: string,
  parent: string,
  raw: RawCommit,
  treeOf = parent,
): string {
  const person = `${PERSON} 1700000000 +0000`
  const tree = gitBytes(folder, ['rev-parse', `${treeOf}^{tree}`])
    .toString()
    .trim()
  const lines = [
    `tree ${tree}`,
    `parent ${gitBytes(folder, ['rev-parse', parent]).toString().trim()}`,
    `author ${raw.author ?? person}`,
    `committer ${raw.committer ?? person}`,
    ...(raw.header === undefined ? [] : [raw.header]),
  ]
  const content = Buffer.concat([
    Buffer.from(`${lines.join('\n')}\n\n`),
    Buffer.from(raw.message ?? 'Hostile\n'),
  ])
  const write = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally']
  return gitBytes(folder, write, { input: content }).toString().trim()
}

/** Writes a commit that has something else than a file in the place of the configuration. */
export function writeCommitOf(folder: string, parent: string, mode: string, oid: string): string {
  const type = { '040000': 'tree', '160000': 'commit' }[mode] ?? 'blob'
  const input = `${mode} ${type} ${oid}\tconfig.xml\n`
  const tree = gitBytes(folder, ['mktree', '--missing'], { input }).toString().trim()
  const commit = ['commit-tree', tree, '-p', parent, '-m', 'Not a file']
  return gitBytes(folder, commit).toString().trim()
}
