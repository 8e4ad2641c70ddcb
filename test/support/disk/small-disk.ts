import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fsErrorCode } from '../../../src/storage/fs-error.ts'
import { TempFolder } from './temp-folder.ts'

/** A file system of a few megabytes, where this user may make one. */
export class SmallDisk implements Disposable {
  readonly #temp = new TempFolder()
  readonly path = this.#temp.file('disk')
  readonly isMounted: boolean

  constructor(megabytes: number) {
    mkdirSync(this.path)
    const args = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', this.path]
    this.isMounted = spawnSync('mount', args).status === 0
  }

  /** Leaves room for this many bytes and no more. */
  fill(left: number): void {
    try {
      writeFileSync(join(this.path, 'filler'), Buffer.alloc(Math.max(this.left() - left, 0)))
    } catch (error) {
      // Somebody else was faster to take the room.
      if (fsErrorCode(error) !== 'ENOSPC') throw error
    }
  }

  /** How many bytes have room. */
  left(): number {
    const { bavail, bsize } = statfsSync(this.path)
    return bavail * bsize
  }

  empty(): void {
    rmSync(join(this.path, 'filler'), { force: true })
  }

  [Symbol.dispose](): void {
    if (this.isMounted) spawnSync('umount', ['--lazy', this.path])
    this.#temp[Symbol.dispose]()
  }
}

export function mayMount(): boolean {
  using disk = new SmallDisk(1)
  return disk.isMounted
}
