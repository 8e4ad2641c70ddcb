import nodeFs, { type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { isObjectName } from '../../core/object-name.ts'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import { readHead } from '../../git/refs.ts'

/** The content at an address of the repository: a text, or an open file, which the caller closes. */
export type RepositoryFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'object'; readonly type: string; readonly handle: FileHandle }

/** The paths of objects, with the name in each, and its media type. */
const OBJECTS: readonly (readonly [RegExp, string])[] = [
  [/^objects\/([0-9a-f]{2}\/[0-9a-f]+)$/, 'application/x-git-loose-object'],
  [/^objects\/pack\/pack-([0-9a-f]+)\.pack$/, 'application/x-git-packed-objects'],
  [/^objects\/pack\/pack-([0-9a-f]+)\.idx$/, 'application/x-git-packed-objects-toc'],
]

/**
 * Opens a file of the repository for a client of git's dumb HTTP protocol: the refs, the list of
 * packs, and the objects. Null for everything else.
 */
export async function openRepositoryFile(
  repository: string,
  path: string,
): Promise<RepositoryFile | null> {
  const gitDir = join(repository, '.git')
  if (path === 'HEAD' || path === 'info/refs') return text(await describeHead(gitDir, path))
  if (path === 'objects/info/packs') return text(await listPacks(gitDir))
  const type = OBJECTS.find(([pattern]) => isObjectName(nameIn(path, pattern)))?.[1]
  const handle = type === undefined ? null : await openFile(join(gitDir, path))
  return type === undefined || handle === null ? null : { kind: 'object', type, handle }
}

function nameIn(path: string, pattern: RegExp): string {
  return (pattern.exec(path)?.[1] ?? '').replace('/', '')
}

function text(content: string): RepositoryFile {
  return { kind: 'text', text: content }
}

async function describeHead(gitDir: string, path: 'HEAD' | 'info/refs'): Promise<string> {
  const { branch, commit } = await readHead({ fs: nodeFs, gitDir })
  if (path === 'HEAD') return branch === null ? `${commit}\n` : `ref: ${branch}\n`
  return commit === null ? '' : `${commit}\t${branch ?? 'HEAD'}\n`
}

async function listPacks(gitDir: string): Promise<string> {
  const names = (await orNullWhenAbsent(nodeFs.readdir(join(gitDir, 'objects', 'pack')))) ?? []
  const packs = names.filter((name) => name.endsWith('.pack'))
  return `${packs.map((name) => `P ${name}\n`).join('')}\n`
}

async function openFile(path: string): Promise<FileHandle | null> {
  try {
    return await orNullWhenAbsent(nodeFs.open(path))
  } catch (error) {
    if (fsErrorCode(error) === 'EISDIR') return null
    throw error
  }
}
