import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder that is removed at the end of the block that asked for it. */
export class TempFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'cairn-test-'))

  file(name: string): string {
    return join(this.path, name)
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
