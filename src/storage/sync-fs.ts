import fs from 'node:fs'
import nodeFs from 'node:fs/promises'
import { promisify } from 'node:util'
import type { FsHandle, FsPromises } from './fs-promises.ts'

/** Files up to this size are read and written synchronously, in bytes. */
const SMALL = 256 * 1024

const opened = promisify<string, string, number | undefined, number>(fs.open)
const synced = promisify(fs.fsync)
const written = promisify<number, string | Uint8Array, void>(fs.writeFile)

/**
 * A file system for writers of a few small files. Calls that only touch memory are synchronous: a
 * turn of the thread pool takes ten times as long. Calls that wait for the disk, or are large, use
 * the thread pool, so that they do not block the process. Those that change a folder are among them:
 * while the journal of the file system is written, such as for a sync of somebody else, they wait.
 * A rename is not: it follows a look at what it replaces, and an edit between the two would be lost.
 */
export const syncFs: FsPromises = Object.assign(Object.create(nodeFs), {
  async open(path: string, flags = 'r', mode?: number) {
    if (flags.startsWith('w')) return handleOf(await opened(path, flags, mode))
    return handleOf(fs.openSync(path, flags, mode))
  },
  async readFile(path: string, options?: Parameters<typeof nodeFs.readFile>[1]) {
    const isSmall = options === undefined && fs.lstatSync(path).size <= SMALL
    return isSmall ? fs.readFileSync(path) : nodeFs.readFile(path, options)
  },
  async lstat(path: string, options?: { readonly bigint: true }) {
    return fs.lstatSync(path, options)
  },
  async stat(path: string) {
    return fs.statSync(path)
  },
  async readdir(path: string) {
    return fs.readdirSync(path)
  },
  async rename(from: string, to: string) {
    fs.renameSync(from, to)
  },
})

function handleOf(fd: number): FsHandle {
  return {
    async writeFile(data) {
      if (data.length > SMALL) await written(fd, data)
      else fs.writeFileSync(fd, data)
    },
    async chmod(mode) {
      fs.fchmodSync(fd, mode)
    },
    async chown(uid, gid) {
      fs.fchownSync(fd, uid, gid)
    },
    sync: () => synced(fd),
    async close() {
      fs.closeSync(fd)
    },
  }
}
