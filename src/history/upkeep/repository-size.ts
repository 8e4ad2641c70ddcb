import { join } from 'node:path'
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

export interface RepositoryMeasure extends RepositorySize {
  /** The files in the folder of packs. */
  readonly packFiles: readonly string[]
}

/** Measures the repository, while git and writers may be active. */
export async function measureRepository(store: GitStore): Promise<RepositoryMeasure> {
  const objects = join(store.gitDir, 'objects')
  const names = (await orNullWhenAbsent(store.fs.readdir(objects))) ?? []
  let [looseObjects, looseBytes] = [0, 0]
  for (const name of names.filter((each) => /^[0-9a-f]{2}$/.test(each))) {
    const loose = await filesIn(store, join(objects, name))
    looseObjects += loose.length
    looseBytes += bytesOf(loose)
  }
  const files = await filesIn(store, join(objects, 'pack'))
  const packFiles = files.map((file) => file.name)
  const packs = packFiles.filter((name) => name.endsWith('.pack')).length
  return { looseObjects, looseBytes, packs, packBytes: bytesOf(files), packFiles }
}

interface SizedFile {
  readonly name: string
  readonly size: number
}

async function filesIn({ fs }: GitStore, folder: string): Promise<readonly SizedFile[]> {
  const names = (await orNullWhenAbsent(fs.readdir(folder))) ?? []
  const files = names.map(async (name) => {
    const stats = await orNullWhenAbsent(fs.stat(join(folder, name)))
    return stats === null ? [] : [{ name, size: stats.size }]
  })
  return (await Promise.all(files)).flat()
}

function bytesOf(files: readonly SizedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
