import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { VersionControlMaterial } from '../document/materials/identity.ts'
import { isLocalAddress } from '../core/source-address.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { isWithin, realPath } from '../storage/folders.ts'
import { SourceFailed } from './modification.ts'
import { addressOf } from './source-place.ts'

/** The folders of this machine that may be materials. */
export interface LocalMaterials {
  /** The folders that the operator allows. */
  readonly allowed: readonly string[]
  /** The service's own folders, which are never materials. */
  readonly own: readonly string[]
}

/** Folders of a repository that may be links, and files that point to parts elsewhere. */
const PARTS = ['.git', '.hg', 'objects', 'store']
const POINTERS = ['.git', 'commondir', 'info/alternates', 'sharedpath']
const MAX_DEPTH = 10

/**
 * Resolves the address of a material on this machine to a real path that the operator allows. The
 * error is the same for a missing folder and for a forbidden one.
 *
 * @throws {SourceFailed} for any other folder.
 */
export async function withAllowedAddress(
  material: VersionControlMaterial,
  rules: LocalMaterials,
): Promise<VersionControlMaterial> {
  if (material.kind === 'p4' || material.kind === 'tfs') return material
  const address = addressOf(material.kind, material.url).url
  if (!isLocalAddress(address)) return material
  const path = await allowedPath(pathOf(address), await resolvedRules(rules))
  return { ...material, url: material.kind === 'svn' ? pathToFileURL(path).href : path }
}

function pathOf(address: string): string {
  if (!/^file:/i.test(address)) return address
  try {
    const url = new URL(address)
    url.hostname = url.hostname === 'localhost' ? '' : url.hostname
    return fileURLToPath(url)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new SourceFailed('The address of the repository is not a path', { cause: error })
  }
}

async function resolvedRules({ allowed, own }: LocalMaterials): Promise<LocalMaterials> {
  return { allowed: await realPaths(allowed), own: await realPaths(own) }
}

/** The real path of a repository, if it and everything that it points to is allowed. */
async function allowedPath(path: string, rules: LocalMaterials, depth = 0): Promise<string> {
  const isFound = isAbsolute(path) && !path.includes('\0') && depth <= MAX_DEPTH
  const real = isFound ? await realPath(path) : ''
  const isAllowed = rules.allowed.some((folder) => isWithin(real, folder))
  if (!isFound || !isAllowed || rules.own.some((folder) => isWithin(real, folder))) {
    throw new SourceFailed(
      'The repository is on the disk of the server, and in no folder that --local-materials allows',
    )
  }
  for (const part of await partsOf(real)) await allowedPath(part, rules, depth + 1)
  return real
}

/** The parts of a repository that may be elsewhere. */
async function partsOf(folder: string): Promise<string[]> {
  const parts = PARTS.map((name) => join(folder, name))
  const folders = await Promise.all(parts.map(async (part) => ((await isFolder(part)) ? part : [])))
  const pointed = await Promise.all(POINTERS.map((name) => targetsIn(folder, name)))
  return [...folders, ...pointed].flat()
}

async function isFolder(path: string): Promise<boolean> {
  return (await orNullWhenAbsent(stat(path)))?.isDirectory() === true
}

/** The paths in a file of a repository. */
async function targetsIn(folder: string, name: string): Promise<string[]> {
  const file = join(folder, name)
  const found = await orNullWhenAbsent(stat(file))
  if (found?.isFile() !== true) return []
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim())
  const paths = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return paths.map((path) => resolve(folder, path.replace(/^gitdir: */, '')))
}

async function realPaths(folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map((folder) => realPath(resolve(folder))))
}
