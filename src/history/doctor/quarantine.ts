import nodeFs, { mkdir, rename } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { syncFolder } from '../../storage/sync-folder.ts'

/** A folder for the files that one repair moves away. They keep their relative paths; nothing is deleted. */
export class Quarantine {
  readonly folder: string
  readonly #root: string
  #isEmpty = true

  constructor(root: string, { gitDir, time }: { gitDir: string; time: number }) {
    const stamp = new Date(time).toISOString().replaceAll(/[:.]/g, '-')
    this.folder = join(gitDir, 'cairn', 'doctor', stamp)
    this.#root = root
  }

  /** Whether nothing was moved away. */
  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Moves a file or folder into quarantine and returns its new path. */
  async move(path: string): Promise<string> {
    const target = join(this.folder, relative(this.#root, path))
    await mkdir(dirname(target), { recursive: true })
    await rename(path, target)
    this.#isEmpty = false
    await syncFolder(nodeFs, dirname(target))
    await syncFolder(nodeFs, dirname(path))
    return target
  }
}
