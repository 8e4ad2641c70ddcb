import { gitBytes } from '../git/git.ts'

/** The objects of a repository that entries of a tree may name. */
interface Objects {
  readonly blob: string
  readonly folder: string
}

type Line = readonly [mode: string, name: string, oid: string]

interface HostileTree {
  /** The entries beside the document, which are sorted before it. */
  readonly lines?: (objects: Objects) => readonly Line[]
  /** Bytes after the entries. */
  readonly tail?: string
  /** The reason for which a push of it is refused. */
  readonly why: RegExp
}

/** Trees that no honest tool writes. Over HTTP, git itself refuses most of them. */
export const HOSTILE_TREES = {
  'a mode that git does not have': {
    lines: ({ blob }) => [['100600', 'a', blob]],
    why: /its folder has "a" with the mode "100600"/,
  },
  'a device': {
    lines: ({ blob }) => [['20666', 'a', blob]],
    why: /its folder has "a" with the mode "20666"/,
  },
  'a folder with a padded mode': {
    lines: ({ folder }) => [['040000', 'a', folder]],
    why: /its folder has "a" with the mode "040000"/,
  },
  'a name with a slash': {
    lines: ({ blob }) => [['100644', 'a/b', blob]],
    why: /its folder has an entry with the name "a\/b"/,
  },
  'a name that leads out': {
    lines: ({ folder }) => [['40000', '..', folder]],
    why: /its folder has an entry with the name "\.\."/,
  },
  'no name': {
    lines: ({ blob }) => [['100644', '', blob]],
    why: /its folder has an entry with the name ""/,
  },
  'a folder of git': {
    lines: ({ folder }) => [['40000', '.GIT', folder]],
    why: /its folder has an entry with the name "\.GIT"/,
  },
  'a name that file systems take for it': {
    lines: ({ folder }) => [['40000', '.g\u200cit', folder]],
    why: /its folder has an entry with the name "\.g\ufffdit"/,
  },
  'a name twice': {
    lines: ({ blob }) => [
      ['100644', 'a', blob],
      ['100644', 'a', blob],
    ],
    why: /its folder has "a" twice/,
  },
  'a file and a folder of one name': {
    lines: ({ blob, folder }) => [
      ['100644', 'a', blob],
      ['100644', 'a.b', blob],
      ['40000', 'a', folder],
    ],
    why: /its folder has "a" twice/,
  },
  'entries in disorder': {
    lines: ({ blob }) => [
      ['100644', 'b', blob],
      ['100644', 'a', blob],
    ],
    why: /its folder is not in the order of git/,
  },
  'bytes that are no tree': { tail: '100644 cut', why: /its folder cannot be read as a tree/ },
} as const satisfies Readonly<Record<string, HostileTree>>

/** Writes a commit on a parent, with its document and a hostile tree beside; no branch moves. */
export function writeHostileTree(
  folder: string,
  parent: string,
  { lines = () => [], tail = '' }: HostileTree,
): string {
  const write = (type: string, content: Uint8Array) =>
    line(folder, ['hash-object', '-t', type, '-w', '--stdin', '--literally'], content)
  const blob = line(folder, ['rev-parse', `${parent}:config.xml`])
  const objects = { blob, folder: write('tree', render([['100644', 'file', blob]])) }
  const entries = render([...lines(objects), ['100644', 'config.xml', blob]])
  const tree = write('tree', Buffer.concat([entries, Buffer.from(tail)]))
  const person = 'Mal <mal@example.org> 1700000000 +0000'
  const head = line(folder, ['rev-parse', parent])
  const facts = [`tree ${tree}`, `parent ${head}`, `author ${person}`, `committer ${person}`]
  return write('commit', Buffer.from(`${facts.join('\n')}\n\nHostile\n`))
}

function render(lines: readonly Line[]): Buffer {
  return Buffer.concat(
    lines.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(oid, 'hex'),
    ]),
  )
}

function line(
  folder: string,
  args: readonly string[],
  input: Uint8Array = Buffer.alloc(0),
): string {
  return gitBytes(folder, args, { input }).toString().trim()
}
