import { randomUUID } from 'node:crypto'
import { dirname, join, relative, sep } from 'node:path'
import { unavailable } from '../../core/errors.ts'
import { describeFault, describeSystemFault } from '../../core/faults.ts'
import { removeDrafts, replaceFile } from '../../storage/durable-fs.ts'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { writeEmptyRepository } from '../../git/empty-repository.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import type { ObjectFormat } from '../../git/object-format.ts'
import { assertServable } from './repository-shape.ts'

/** The paths of the parts of the repository. */
export interface RepositoryFolder {
  /** The work tree, which holds the live file. */
  readonly path: string
  /** The `.git` folder. */
  readonly gitDir: string
  /** The folder of the branches. */
  readonly headsDir: string
  /** The service's own folder in the repository. */
  readonly ownDir: string
}

interface FolderRequest {
  readonly fs: FsPromises
  readonly repository: string
  readonly fileName: string
  /** How a repository that is created names its objects. One that is there keeps its own. */
  readonly objectFormat: ObjectFormat
  /** Null where there is no git program. */
  readonly git: GitExecutable | null
}

/** Files beside the live file that are not part of the history. */
const EXCLUDED = ['/README.md', '.draft-*', '*.invalid-*']
const NEW_REPOSITORY = '.git.draft-'

const UNUSABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST', 'EIO']

/** Files that a folder may hold before it becomes a repository. */
const HARMLESS = ['README.md', 'lost+found']

/**
 * Finds the repository, or creates one where there is nothing but a live file.
 *
 * @throws {ServiceError} `unavailable` for a folder that is not a repository and holds other things.
 */
export async function openRepositoryFolder(request: FolderRequest): Promise<RepositoryFolder> {
  const { fs, repository } = request
  await fs.mkdir(repository, { recursive: true })
  const gitDir = join(repository, '.git')
  const names = await fs.readdir(repository)
  if (!names.includes('.git')) {
    assertMayBecomeRepository(request, names)
    await initialise(fs, gitDir, request.objectFormat)
  }
  await assertUsableFolder(request)
  const ownDir = join(gitDir, 'cairn')
  const headsDir = join(gitDir, 'refs', 'heads')
  await fs.mkdir(ownDir, { recursive: true })
  await fs.mkdir(headsDir, { recursive: true })
  return { path: repository, gitDir, headsDir, ownDir }
}

/** The error for a repository that the file system does not let a service use; others stay what they are. */
export function asUnusable(error: unknown, repository: string): unknown {
  if (!UNUSABLE.includes(fsErrorCode(error) ?? '')) return error
  const reason = describeSystemFault(error, { machine: 'the server' }) ?? describeFault(error)
  return unavailable(`The repository ${repository} cannot be used: ${reason}`, error)
}

/**
 * Asserts that a folder has a repository that can be served, or may become one.
 *
 * @throws {ServiceError} `unavailable`
 */
export async function assertUsableFolder(
  request: Omit<FolderRequest, 'objectFormat'>,
): Promise<void> {
  const { fs, repository, git } = request
  const gitDir = join(repository, '.git')
  const names = (await orNullWhenAbsent(fs.readdir(repository))) ?? []
  if (!names.includes('.git')) return assertMayBecomeRepository(request, names)
  await assertUsable(fs, { repository, gitDir })
  await assertServable({ fs, gitDir }, git)
}

/**
 * Makes git ignore the service's own files, and removes leftovers of a crash. Only for the holder
 * of the lock.
 */
export async function tidyRepositoryFolder(
  fs: FsPromises,
  { folder, livePath }: { folder: RepositoryFolder; livePath: string },
): Promise<void> {
  const info = join(folder.gitDir, 'info')
  const attributes = attributesOf(relative(folder.path, livePath))
  await completeLines(fs, { file: join(info, 'exclude'), needed: EXCLUDED })
  await completeLines(fs, { file: join(info, 'attributes'), needed: [attributes] })
  const folders = [folder.path, dirname(livePath), folder.ownDir]
  await Promise.all([...new Set(folders)].map((each) => removeDrafts(each, fs)))
  const unborn = (await fs.readdir(folder.path)).filter((name) => name.startsWith(NEW_REPOSITORY))
  const options = { recursive: true, force: true }
  await Promise.all(unborn.map((name) => fs.rm(join(folder.path, name), options)))
}

function assertMayBecomeRepository(
  { repository, fileName }: Pick<FolderRequest, 'repository' | 'fileName'>,
  names: readonly string[],
): void {
  const foreign = names.filter(
    (name) =>
      !HARMLESS.includes(name) &&
      !name.startsWith(NEW_REPOSITORY) &&
      name !== fileName.split('/')[0],
  )
  if (foreign.length === 0) return
  if (foreign.includes('HEAD') && foreign.includes('objects')) {
    throw unavailable(`${repository} is a bare repository: it has no place for the live file`)
  }
  const some = foreign.toSorted().slice(0, 3).join(', ')
  throw unavailable(`${repository} is not a git repository and holds other files: ${some}`)
}

async function assertUsable(
  fs: FsPromises,
  { repository, gitDir }: { repository: string; gitDir: string },
): Promise<void> {
  const stats = await fs.stat(gitDir)
  if (!stats.isDirectory()) {
    const what = `${repository} is a linked work tree, whose repository is elsewhere`
    throw unavailable(`${what}: serve the main one instead`)
  }
  const parts = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((part) => orNullWhenAbsent(fs.stat(join(gitDir, part)))),
  )
  if (parts.every((part) => part !== null)) return
  throw unavailable(`${gitDir} is not a git repository: HEAD, objects or refs is missing`)
}

/** Creates the repository atomically. */
async function initialise(fs: FsPromises, gitDir: string, format: ObjectFormat): Promise<void> {
  const draft = join(dirname(gitDir), `${NEW_REPOSITORY}${randomUUID()}`)
  await writeEmptyRepository(fs, draft, format)
  await renameUnlessTaken(fs, { from: draft, to: gitDir })
  await syncFolder(fs, dirname(gitDir))
}

/** If another process was faster, its repository is used. */
async function renameUnlessTaken(
  fs: FsPromises,
  { from, to }: { from: string; to: string },
): Promise<void> {
  try {
    await fs.rename(from, to)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(fsErrorCode(error) ?? '')) throw error
    await fs.rm(from, { recursive: true, force: true })
  }
}

/** Keeps the bytes unchanged, whatever git's settings or a `.gitattributes` file say. */
function attributesOf(path: string): string {
  const pattern = `/${path.split(sep).join('/')}`.replaceAll(/[\\*?[]/g, '\\$&')
  const name = /^[\w./-]+$/.test(pattern) ? pattern : JSON.stringify(pattern)
  return `${name} -text -ident -filter -working-tree-encoding`
}

async function completeLines(
  fs: FsPromises,
  { file, needed }: { file: string; needed: readonly string[] },
): Promise<void> {
  const bytes = await orNullWhenAbsent(fs.readFile(file))
  const text = Buffer.from(bytes ?? []).toString('utf8')
  const missing = needed.filter((pattern) => !text.split('\n').includes(pattern))
  if (missing.length === 0) return
  await fs.mkdir(dirname(file), { recursive: true })
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  await replaceFile(file, `${start}${missing.join('\n')}\n`, { fs })
}
