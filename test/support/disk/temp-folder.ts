import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

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
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** The path of a new folder that is removed when the test has finished. */
export function tempDir(place = tmpdir()): string {
  const folder = new TempFolder(place)
  onTestFinished(() => folder[Symbol.dispose]())
  return folder.path
}
