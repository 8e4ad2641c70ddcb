import { basename, join } from 'node:path'
import { mapInTurns } from '../../lib/cooperative.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { GitStore } from '../../git/git-store.ts'

/** The number and size of a repository's objects on disk. */
export interface RepositorySize {
  readonly looseObjects: number
  readonly looseBytes: number
  readonly packs: number
  /** Packs with their indexes and other companion files. */
  readonly packBytes: number
}

/** The sizes of loose objects by their files, which never change. */
export type LooseSizes = ReadonlyMap<string, number>

export interface RepositoryMeasure extends RepositorySize {
  /** The files in the folder of packs. */
  readonly packFiles: readonly string[]
  /** For the next measurement, which need not look at these objects. */
  readonly looseSizes: LooseSizes
}

/** The most sizes that are kept: without the git program, objects are never packed. */
const MAX_SIZES = 10_000
/** Folders listed at a time: one by one takes a turn of the event loop each; behind all, a save would wait for a thread. */
const FOLDERS_AT_ONCE = 8
const NONE: LooseSizes = new Map()

/** Measures the repository, while git and writers may be active. Loose objects of known sizes are only counted. */
export async function measureRepository(store: GitStore, known = NONE): Promise<RepositoryMeasure> {
  const objects = join(store.gitDir, 'objects')
  const names = (await orNullWhenAbsent(store.fs.readdir(objects))) ?? []
  const folders = names.filter((name) => /^[0-9a-f]{2}$/.test(name))
  const looseIn = (name: string) => filesIn(store, join(objects, name), known)
  const loose = (await mapInTurns(folders, looseIn, FOLDERS_AT_ONCE)).flat()
  const files = await filesIn(store, join(objects, 'pack'), NONE)
  const packFiles = files.map(({ path }) => basename(path))
  return {
    looseObjects: loose.length,
    looseBytes: bytesOf(loose),
    packs: packFiles.filter((name) => name.endsWith('.pack')).length,
    packBytes: bytesOf(files),
    packFiles,
    looseSizes: new Map(loose.slice(0, MAX_SIZES).map(({ path, size }) => [path, size])),
  }
}

interface SizedFile {
  readonly path: string
  readonly size: number
}

async function filesIn(
  { fs }: GitStore,
  folder: string,
  known: LooseSizes,
): Promise<readonly SizedFile[]> {
  const names = (await orNullWhenAbsent(fs.readdir(folder))) ?? []
  const files = names.map(async (name) => {
    const path = join(folder, name)
    const size = known.get(path) ?? (await orNullWhenAbsent(fs.stat(path)))?.size
    return size === undefined ? [] : [{ path, size }]
  })
  return (await Promise.all(files)).flat()
}

function bytesOf(files: readonly SizedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
