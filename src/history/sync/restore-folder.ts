import nodeFs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { replaceFile } from '../../storage/durable-fs.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import type { BundledHead, BundleOptions } from '../../git/bundle.ts'
import { unbundleHistory } from '../archive/unbundle-history.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import { ended } from '../../processes/piped-process.ts'
import { requireGit, runGit, tryGit } from '../../git/run-git.ts'

export interface RestoreFolderOptions extends BundleOptions {
  /** The folder of the repository to create. */
  readonly repository: string
  /** The document, relative to it. */
  readonly fileName: string
}

/** A tree may name ten million files in a few objects; git's index names each of them. */
const MAX_INDEX_ENTRIES = 100_000
const NUL = 0

/**
 * Creates a repository from a bundle, with the live file. No other file of the tree is written:
 * git's index marks them as not checked out, so that no command takes them for deleted. `git
 * checkout-index` or a checkout writes them.
 *
 * It is built in a folder inside of `.git`, where no tree can name a file, and moved up from there,
 * `HEAD` last: without `HEAD` neither git nor a service sees a repository.
 *
 * @throws {ServiceError} `unavailable`, with what git says; the bundle is damaged, or a file is in
 * the way.
 */
export async function restoreFolder(
  options: RestoreFolderOptions,
  head: BundledHead,
): Promise<void> {
  const { repository, fileName, programPath } = options
  const git = await requireGit(programPath)
  const gitDir = join(repository, '.git')
  const draft = join(gitDir, 'cairn.draft-restored')
  await nodeFs.mkdir(gitDir, { recursive: true })
  await unbundleHistory(draft, options, head)
  await writeIndex(git, draft, options)
  const document = await tryGit(git, draft, ['cat-file', 'blob', `HEAD:${fileName}`])
  if (document.isDone)
    await writeLiveFile(join(repository, ...fileName.split('/')), document.output)
  await moveUp(draft, gitDir)
  for (const folder of [gitDir, repository, dirname(repository)]) await syncFolder(nodeFs, folder)
}

async function writeLiveFile(file: string, document: Buffer): Promise<void> {
  await nodeFs.mkdir(dirname(file), { recursive: true })
  await replaceFile(file, document)
}

async function moveUp(draft: string, gitDir: string): Promise<void> {
  const names = await nodeFs.readdir(draft)
  for (const name of [...names.filter((each) => each !== 'HEAD'), 'HEAD'])
    await nodeFs.rename(join(draft, name), join(gitDir, name))
  await nodeFs.rmdir(draft)
}

/** Writes the index of the whole tree; none where the tree is implausibly large. */
async function writeIndex(
  git: GitExecutable,
  draft: string,
  { repository, fileName }: RestoreFolderOptions,
): Promise<void> {
  const files = await listFiles(git, draft)
  if (files === null) return
  const own = Buffer.from(fileName)
  const others = files.filter((file) => !file.equals(own))
  await runGit(git, draft, ['-c', 'core.fsync=all', 'read-tree', 'HEAD'])
  const args = [`--work-tree=${repository}`, 'update-index', '-z', '--skip-worktree', '--stdin']
  const input = Readable.from(others.map((file) => Buffer.concat([file, Buffer.of(NUL)])))
  await runGit(git, draft, args, { input })
}

/** The files of the newest commit; null when there are very many. */
async function listFiles(git: GitExecutable, gitDir: string): Promise<readonly Buffer[] | null> {
  const child = git.start(gitDir, ['ls-tree', '-r', '-z', '--name-only', 'HEAD'])
  const end = ended(child)
  const files: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  child.stdin.end()
  child.stderr.resume()
  for await (const chunk of child.stdout) {
    rest = Buffer.concat([rest, chunk])
    for (let at = rest.indexOf(NUL); at >= 0; at = rest.indexOf(NUL)) {
      files.push(rest.subarray(0, at))
      rest = rest.subarray(at + 1)
    }
    if (files.length > MAX_INDEX_ENTRIES) break
  }
  child.kill()
  await end
  return files.length > MAX_INDEX_ENTRIES ? null : files
}
