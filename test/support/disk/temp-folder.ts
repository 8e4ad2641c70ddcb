import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '../programs/at-end.ts'

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
    // A child of a killed program may write one line more before it ends.
    rmSync(this.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

/** Returns the path of a new folder that is removed with the test, or with the suite that shares it. */
export function tempDir(place = tmpdir()): string {
  const folder = new TempFolder(place)
  atEnd(() => folder[Symbol.dispose]())
  return folder.path
}
