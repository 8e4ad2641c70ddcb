import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fsErrorCode } from '../../../src/storage/fs-error.ts'
import { atEnd } from '../programs/at-end.ts'

/** Attempts to remove a folder, 150 milliseconds each. */
const MAX_ATTEMPTS = 10

/** A new folder that is removed at the end of the block that asked for it. */
export class TempFolder implements Disposable {
  readonly path: string

  constructor(place = tmpdir()) {
    this.path = mkdtempSync(join(place, 'cairn-test-'))
  }

  file(name: string): string {
    return join(this.path, name)
  }

  [Symbol.dispose](): void {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return rmSync(this.path, { recursive: true, force: true, maxRetries: 2, retryDelay: 50 })
      } catch (error) {
        // A child of a killed program may write a file more before it ends. Node lists the files once for all its tries.
        if (attempt === MAX_ATTEMPTS || fsErrorCode(error) !== 'ENOTEMPTY') throw error
      }
    }
  }
}

/** Returns a new folder that is removed with the test, or with the suite that shares it. */
export function tempFolder(place = tmpdir()): TempFolder {
  const folder = new TempFolder(place)
  atEnd(() => folder[Symbol.dispose]())
  return folder
}

/** Returns the path of such a folder. */
export function tempDir(place = tmpdir()): string {
  return tempFolder(place).path
}
