import nodeFs from 'node:fs/promises'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'

/** The disk without waiting for it: power cuts are simulated above it, so nothing has to be durable. */
export const unsyncedFs: FsPromises = Object.assign(Object.create(nodeFs), {
  async open(path: string, flags?: string, mode?: number) {
    const handle = await nodeFs.open(path, flags, mode)
    return {
      writeFile: (data: string | Uint8Array) => handle.writeFile(data),
      chmod: (bits: number) => handle.chmod(bits),
      chown: (uid: number, gid: number) => handle.chown(uid, gid),
      sync: async () => {},
      close: () => handle.close(),
    }
  },
})
