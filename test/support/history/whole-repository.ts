import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import {
  log,
  readBlob,
  readTree,
  resolveRef,
  STAGE,
  statusMatrix,
  walk,
  type WalkerEntry,
} from 'isomorphic-git'
import { unsyncedFs } from '../disk/unsynced-fs.ts'

/** In bytes, at the end of a pack and of its index. */
const CHECKSUM = 20
const UNCHANGED = 1

type Opened = ReturnType<typeof opened>

/** Lists what is changed in a work tree: the name, and its place in HEAD, on disk and in the index as isomorphic-git has them. */
export async function changesIn(dir: string): Promise<string[]> {
  const rows = await statusMatrix(opened(dir))
  return rows
    .filter(([, ...states]) => states.some((state) => state !== UNCHANGED))
    .map((row) => row.join(' '))
}

/** The commit that is checked out, read without a process of git. */
export function headIn(dir: string): Promise<string> {
  return resolveRef({ ...opened(dir), ref: 'HEAD' })
}

/** The content that the index has of a file, as isomorphic-git reads it; null where it has none. */
export async function stagedIn(dir: string, path: string): Promise<string | null> {
  const repository = opened(dir)
  const oids: string[] = []
  const map = async (name: string, [entry]: readonly (WalkerEntry | null)[]) => {
    const oid = name === path ? await entry?.oid() : undefined
    if (oid !== undefined) oids.push(oid)
  }
  await walk({ ...repository, trees: [STAGE()], map })
  const [oid] = oids
  if (oid === undefined) return null
  const { blob } = await readBlob({ ...repository, oid })
  return Buffer.from(blob).toString()
}

/**
 * Lists what is wrong with a repository, as `git fsck` does and hundreds of times as fast: files of
 * objects that are not whole, used or not, broken refs, and what the branch needs and lacks.
 */
export async function faultsIn(dir: string): Promise<string[]> {
  const broken = [...brokenObjects(dir), ...brokenPacks(dir), ...brokenRefs(dir)]
  return [...broken, ...(await lacking(opened(dir)))]
}

function opened(dir: string) {
  return { fs: { promises: unsyncedFs }, dir, cache: {} }
}

/** Git reads no file of another name, such as a draft that the cut has left. */
function brokenObjects(dir: string): string[] {
  const objects = join(dir, '.git', 'objects')
  const files = readdirSync(objects, { recursive: true, encoding: 'utf8' })
  const names = files.filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(name))
  return names.filter((name) => !isWhole(objects, name))
}

function isWhole(objects: string, name: string): boolean {
  const bytes = readFileSync(join(objects, name))
  try {
    return sha1(inflateSync(bytes)) === name.replace('/', '')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

function brokenPacks(dir: string): string[] {
  const packs = join(dir, '.git', 'objects', 'pack')
  if (!existsSync(packs)) return []
  const names = readdirSync(packs)
  const files = names.filter((name) => /\.(?:pack|idx)$/.test(name))
  const isAlone = (name: string) => !names.includes(name.replace(/idx$/, 'pack'))
  return files.filter((name) => isAlone(name) || !hasChecksum(join(packs, name)))
}

function hasChecksum(file: string): boolean {
  const bytes = readFileSync(file)
  return sha1(bytes.subarray(0, -CHECKSUM)) === bytes.subarray(-CHECKSUM).toString('hex')
}

function brokenRefs(dir: string): string[] {
  const refs = join(dir, '.git', 'refs')
  const files = readdirSync(refs, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return paths.filter((path) => !/^(?:[0-9a-f]{40}|ref: \S+)\n$/.test(readFileSync(path, 'utf8')))
}

async function lacking(repository: Opened): Promise<string[]> {
  try {
    for (const { commit } of await log(repository)) await readAll(repository, commit.tree)
    return []
  } catch (error) {
    return [String(error)]
  }
}

async function readAll(repository: Opened, oid: string): Promise<void> {
  const { tree } = await readTree({ ...repository, oid })
  for (const entry of tree) {
    if (entry.type === 'tree') await readAll(repository, entry.oid)
    if (entry.type === 'blob') await readBlob({ ...repository, oid: entry.oid })
  }
}

function sha1(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex')
}
