import { dirname, join, sep } from 'node:path'
import { unavailable } from '../core/errors.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import { findConfigValue } from './git-config.ts'

const SETTING = 'core.sharedRepository'
const PERMISSIONS = 0o777
const OWNER_WRITES = 0o200
const OWNER_RUNS = 0o100
const WRITE_BITS = 0o222
const READ_BITS = 0o444
const OWNER_USES = 0o600
const OTHERS_USE = 0o060
const GROUP_OF_FOLDER = 0o2000

/** The permission bits that a repository gives to its files, and whether they are all that these have. */
interface SharedBits {
  readonly bits: number
  readonly isWhole: boolean
}

const GROUP: SharedBits = { bits: 0o660, isWhole: false }
const EVERYBODY: SharedBits = { bits: 0o664, isWhole: false }
const NAMED: ReadonlyMap<string, SharedBits | null> = new Map([
  ...['umask', 'false', 'no', 'off', '', '0'].map((word) => [word, null] as const),
  ...['group', 'true', 'yes', 'on', '1'].map((word) => [word, GROUP] as const),
  ...['all', 'world', 'everybody', '2'].map((word) => [word, EVERYBODY] as const),
])

/**
 * A file system that sets the permission bits of shared repositories on new files in `.git`, as git
 * does. Other files get those of the process.
 *
 * @throws {ServiceError} `unavailable` for a value that git does not take either.
 */
export async function sharedFs(fs: FsPromises, gitDir: string): Promise<FsPromises> {
  const config = await orNullWhenAbsent(fs.readFile(join(gitDir, 'config')))
  const value = findConfigValue(Buffer.from(config ?? []).toString('utf8'), SETTING)
  const shared = value === null ? null : sharedBits(value, gitDir)
  return shared === null ? fs : sharingFs(fs, gitDir, shared)
}

function sharedBits(value: string, gitDir: string): SharedBits | null {
  const named = NAMED.get(value.toLowerCase())
  if (named !== undefined) return named
  const bits = /^[0-7]+$/.test(value) ? Number.parseInt(value, 8) : 0
  if (bits <= 2 && /^0[0-2]$/.test(value)) return NAMED.get(String(bits)) ?? null
  if ((bits & OWNER_USES) === OWNER_USES) return { bits: bits & 0o666, isWhole: true }
  const what = `${gitDir} has the value "${value}" for ${SETTING}`
  throw unavailable(`${what}: git takes umask, group, all, or bits such as 0640`)
}

function sharingFs(fs: FsPromises, gitDir: string, shared: SharedBits): FsPromises {
  const isInside = (path: string) => path === gitDir || path.startsWith(`${gitDir}${sep}`)
  const own: Pick<FsPromises, 'open' | 'mkdir'> = {
    async open(path, flags = 'r', mode) {
      const isMade =
        flags !== 'r' && isInside(path) && (await orNullWhenAbsent(fs.lstat(path))) === null
      const handle = await fs.open(path, flags, mode)
      if (!isMade) return handle
      const { mode: made } = await fs.lstat(path)
      const bits = fileBits(made & PERMISSIONS, shared)
      if (bits !== (made & PERMISSIONS)) await handle.chmod(bits)
      return handle
    },
    async mkdir(path, options) {
      const isRecursive = typeof options === 'object' && options.recursive === true
      const first = await fs.mkdir(path, options)
      const outermost = isRecursive ? first : path
      if (outermost === undefined) return first
      for (let folder = path; isInside(folder); folder = dirname(folder)) {
        const { mode } = await fs.lstat(folder)
        await fs.chmod(folder, folderBits(mode & PERMISSIONS, shared))
        if (folder === outermost) break
      }
      return first
    },
  }
  return Object.assign(Object.create(fs), own)
}

/** Others cannot write or run a file when its owner cannot. */
function fileBits(mode: number, { bits, isWhole }: SharedBits): number {
  const writable = (mode & OWNER_WRITES) === 0 ? bits & ~WRITE_BITS : bits
  const shared = (mode & OWNER_RUNS) === 0 ? writable : writable | ((writable & READ_BITS) >> 2)
  return isWhole ? shared : mode | shared
}

/** In a folder that others use, new files belong to its group. */
function folderBits(mode: number, shared: SharedBits): number {
  const bits = fileBits(mode, shared)
  return (bits & OTHERS_USE) === 0 ? bits : bits | GROUP_OF_FOLDER
}
