import { closeSync, fsync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { promisify } from 'node:util'
import type { FsHandle, FsPromises } from './fs-promises.ts'

/** Files up to this size are read in one go, in bytes. */
const SMALL = 16 * 1024

const synced = promisify(fsync)

/**
 * The disk of a writer who looks at a few files again and again. What the system answers from
 * memory is asked at once: a turn of the thread pool takes ten times as long as the answer.
 * Whatever changes or syncs anything waits in the pool, so that nothing else has to wait for it.
 */
export const disk: FsPromises = Object.assign(Object.create(nodeFs), {
  async open(path: string, flags = 'r', mode?: number) {
    return flags === 'r' ? openedFolder(openSync(path, 'r')) : nodeFs.open(path, flags, mode)
  },
  async readFile(path: string, options?: Parameters<typeof nodeFs.readFile>[1]) {
    const isSmall = options === undefined && lstatSync(path).size <= SMALL
    return isSmall ? readFileSync(path) : nodeFs.readFile(path, options)
  },
  async lstat(path: string, options?: { readonly bigint: true }) {
    return lstatSync(path, options)
  },
  async readdir(path: string) {
    return readdirSync(path)
  },
})

/** What is opened to be read is a folder that will be synced. */
function openedFolder(fd: number): FsHandle {
  return {
    sync: () => synced(fd),
    close: async () => closeSync(fd),
    writeFile: refuse,
    chmod: refuse,
  }
}

async function refuse(): Promise<never> {
  throw new TypeError('It was opened to be read')
}
