import type { ObjectFormat } from '../object-format.ts'

/** One line of a tree: a file, a folder, a link or a submodule. */
export interface TreeEntry {
  /** In octal without leading zeros, as git writes it: `100644`, `40000`. */
  readonly mode: string
  readonly name: string
  readonly oid: string
}

export const FOLDER_MODE = '40000'
export const LINK_MODE = '120000'
export const SUBMODULE_MODE = '160000'
const FILE_MODE = '100644'

/** @throws {RangeError} when the bytes are not a tree. */
export function parseTree(content: Uint8Array, format: ObjectFormat): readonly TreeEntry[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const entries: TreeEntry[] = []
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at)
    const end = bytes.indexOf(0, space)
    const next = end + 1 + format.bytes
    if (space < 0 || end < 0 || next > bytes.length) throw new RangeError('A tree is cut short')
    entries.push({
      mode: bytes.toString('latin1', at, space),
      name: bytes.toString('latin1', space + 1, end),
      oid: bytes.toString('hex', end + 1, next),
    })
    at = next
  }
  return entries
}

/** Names are read as latin1, so that names that are not UTF-8 are written back byte for byte. */
export function renderTree(entries: readonly TreeEntry[]): Uint8Array<ArrayBuffer> {
  const sorted = entries.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  return Buffer.concat(
    sorted.flatMap(({ mode, name, oid }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(oid, 'hex'),
    ]),
  )
}

/** Replaces the entry of that name, or adds it. A file keeps its mode. */
export function withFile(
  entries: readonly TreeEntry[],
  { name, oid }: { readonly name: string; readonly oid: string },
): readonly TreeEntry[] {
  const before = findEntry(entries, name)
  const mode = before && isFile(before) ? before.mode : FILE_MODE
  return withEntry(entries, { mode, name: entryName(name), oid })
}

export function withFolder(
  entries: readonly TreeEntry[],
  { name, oid }: { readonly name: string; readonly oid: string },
): readonly TreeEntry[] {
  return withEntry(entries, { mode: FOLDER_MODE, name: entryName(name), oid })
}

export function findEntry(entries: readonly TreeEntry[], name: string): TreeEntry | undefined {
  const wanted = entryName(name)
  return entries.find((entry) => entry.name === wanted)
}

export function isFile({ mode }: TreeEntry): boolean {
  return mode.startsWith('100')
}

/** Whether git checks a file out with the executable bit. */
export function isRunnable({ mode }: TreeEntry): boolean {
  return (Number.parseInt(mode, 8) & 0o100) !== 0
}

function withEntry(entries: readonly TreeEntry[], entry: TreeEntry): readonly TreeEntry[] {
  return [...entries.filter(({ name }) => name !== entry.name), entry]
}

/** git sorts a folder as if its name ended with a slash. */
export function sortKey({ mode, name }: TreeEntry): string {
  return mode === FOLDER_MODE ? `${name}/` : name
}

function entryName(name: string): string {
  return Buffer.from(name, 'utf8').toString('latin1')
}
