import { createReadStream } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isObjectName } from '../core/object-name.ts'
import { CommitSha } from '../core/revision.ts'
import { readHead } from './refs.ts'
import { writeEmptyRepository } from './empty-repository.ts'
import { findObjectFormat, type ObjectFormat, readObjectFormat, SHA1 } from './object-format.ts'
import { unavailable } from '../core/errors.ts'
import { syncFolder } from '../storage/sync-folder.ts'
import { boundaryVariable, type GitExecutable } from './git-executable.ts'
import { requireGit, runGit, runGitToFile } from './run-git.ts'

/** The branch and commit that were checked out when the bundle was made. */
export interface BundledHead {
  /** Such as `refs/heads/main`; null when no branch was checked out. */
  readonly branch: string | null
  readonly commit: CommitSha
}

export interface BundleOptions {
  readonly programPath: string | undefined | null
  /** The file of the bundle. */
  readonly bundle: string
}

type Refs = ReadonlyMap<string, CommitSha>

const SYNCED = ['-c', 'core.fsync=all', '-c', 'core.fsyncMethod=fsync']
const HEADER = /^# v[23] git bundle$/
/** The line of version 3 that names the format of objects. */
const FORMAT = '@object-format='

/**
 * Writes every branch and tag, with all objects they reach, into one file. The refs are read once
 * and bundled from a temporary repository that borrows the objects, because a service and git
 * commands may move the refs of the original meanwhile.
 *
 * @throws {ServiceError} `unavailable`, with what git says.
 */
export async function bundleRepository(
  options: BundleOptions & { readonly repository: string },
): Promise<BundledHead> {
  const gitDir = join(options.repository, '.git')
  const git = await requireGit(options.programPath)
  const store = { fs: nodeFs, gitDir }
  const [checkedOut, format] = await Promise.all([readHead(store), readObjectFormat(store)])
  const { branch } = checkedOut
  const listed = await runGit(git, gitDir, ['for-each-ref', '--format=%(objectname) %(refname)'])
  const lines = listed.toString('utf8')
  const commit = branch === null ? checkedOut.commit : parseRefs(lines.split('\n')).get(branch)
  if (!commit) throw unavailable(`The branch ${branch} has no commits`)
  const head = branch === null ? commit : `ref: ${branch}`
  await bundleRefs(git, { gitDir, format, refs: lines, head, bundle: options.bundle })
  return { branch, commit }
}

export interface RefsToBundle {
  /** Where the objects are. */
  readonly gitDir: string
  readonly format: ObjectFormat
  /** Lines of a name of an object and a ref. */
  readonly refs: string
  /** The content of `HEAD`: a ref line, or the name of a commit. */
  readonly head: string
  readonly bundle: string
}

/**
 * Writes the objects that refs reach into one file, up to the boundary of the repository. The refs
 * are those of a repository beside the file, which borrows the objects.
 */
export async function bundleRefs(
  git: GitExecutable,
  { gitDir, format, refs, head, bundle }: RefsToBundle,
): Promise<void> {
  const still = `${bundle}.refs`
  await writeEmptyRepository(nodeFs, still, format)
  await nodeFs.writeFile(join(still, 'packed-refs'), refs)
  await nodeFs.writeFile(join(still, 'HEAD'), `${head}\n`)
  const env = { ...boundaryVariable(gitDir), GIT_OBJECT_DIRECTORY: join(gitDir, 'objects') }
  const args = ['bundle', 'create', '--quiet', '-', 'HEAD', '--all']
  await runGitToFile(git, still, { args, env, file: bundle })
}

/**
 * Creates a `.git` folder from a bundle, with its branches, tags and objects, without an index.
 *
 * @throws {ServiceError} `unavailable`, with what git says; the bundle is damaged.
 */
export async function unbundleRepository(
  gitDir: string,
  { programPath, bundle }: BundleOptions,
  { branch, commit }: BundledHead,
): Promise<void> {
  const git = await requireGit(programPath)
  const { refs, packAt, format } = await readBundleHeader(bundle)
  await writeEmptyRepository(nodeFs, gitDir, format)
  await takePack(git, gitDir, { bundle, packAt })
  const created = [...refs].filter(([ref]) => ref !== 'HEAD')
  const input = created.map(([ref, oid]) => `create ${ref} ${oid}\n`).join('')
  await runGit(git, gitDir, [...SYNCED, 'update-ref', '--stdin'], { input })
  if (branch === null) await runGit(git, gitDir, ['update-ref', '--no-deref', 'HEAD', commit])
  else await runGit(git, gitDir, ['symbolic-ref', 'HEAD', branch])
}

/**
 * Adds the objects of a bundle to a repository, durably. No ref changes.
 *
 * @throws {ServiceError} `unavailable`, with what git says; the bundle is damaged.
 */
export async function addBundledObjects(
  git: GitExecutable,
  gitDir: string,
  bundle: string,
): Promise<void> {
  const { packAt } = await readBundleHeader(bundle)
  await takePack(git, gitDir, { bundle, packAt })
  await syncFolder(nodeFs, join(gitDir, 'objects', 'pack'))
}

/** Git reads the pack through a pipe, so that it ends with this process. */
async function takePack(
  git: GitExecutable,
  gitDir: string,
  { bundle, packAt }: { bundle: string; packAt: number },
): Promise<void> {
  const pack = createReadStream(bundle, { start: packAt })
  await runGit(git, gitDir, [...SYNCED, 'index-pack', '--stdin', '--fix-thin'], { input: pack })
}

interface BundleHeader {
  readonly refs: Refs
  /** The offset of the pack. */
  readonly packAt: number
  readonly format: ObjectFormat
}

async function readBundleHeader(bundle: string): Promise<BundleHeader> {
  const lines: string[] = []
  let packAt = 0
  const stream = createReadStream(bundle, { encoding: 'latin1' })
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
    packAt += line.length + 1
    if (line === '') break
    lines.push(Buffer.from(line, 'latin1').toString('utf8'))
  }
  stream.destroy()
  const [header = '', ...rest] = lines
  if (!HEADER.test(header)) {
    throw unavailable('The bundle of the repository is damaged: it has no header')
  }
  const name = rest.find((line) => line.startsWith(FORMAT))?.slice(FORMAT.length)
  const format = name === undefined ? SHA1 : findObjectFormat(name)
  if (format !== null) return { refs: parseRefs(rest), packAt, format }
  throw unavailable(
    `The bundle of the repository has the object format ${name}, which is not known`,
  )
}

function parseRefs(lines: readonly string[]): Refs {
  const parts = lines.map((line) => [line.slice(0, line.indexOf(' ')), line] as const)
  const named = parts.filter(([oid]) => isObjectName(oid))
  return new Map(named.map(([oid, line]) => [line.slice(oid.length + 1), CommitSha.parse(oid)]))
}
