import nodeFs from 'node:fs'
import nodePromises from 'node:fs/promises'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'

const CALLS = [
  'readFile',
  'writeFile',
  'rename',
  'link',
  'unlink',
  'rm',
  'mkdir',
  'rmdir',
  'readdir',
  'stat',
  'lstat',
  'readlink',
  'symlink',
  'chmod',
] as const

/**
 * The disk without waiting for it: power cuts are simulated above it, so nothing has to be durable. Each call is made
 * at once, where it is asked for: handing it to another thread and back takes several times as long as a file in memory.
 */
export const unsyncedFs: FsPromises = Object.assign(
  Object.create(nodePromises),
  Object.fromEntries(CALLS.map((name) => [name, atOnce(nodeFs[`${name}Sync`])])),
  {
    open: atOnce((path: string, flags?: string, mode?: number) => {
      const file = nodeFs.openSync(path, flags ?? 'r', mode)
      return {
        writeFile: atOnce((data: string | Uint8Array) => nodeFs.writeFileSync(file, data)),
        chmod: atOnce((bits: number) => nodeFs.fchmodSync(file, bits)),
        chown: atOnce((uid: number, gid: number) => nodeFs.fchownSync(file, uid, gid)),
        sync: async () => {},
        close: atOnce(() => nodeFs.closeSync(file)),
      }
    }),
  },
)

function atOnce(call: (...args: never[]) => unknown): (...args: never[]) => Promise<unknown> {
  return async (...args) => call(...args)
}
