import nodeFs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommitSha } from '../core/revision.ts'
import { replaceFile } from '../storage/durable-fs.ts'
import { syncFolder } from '../storage/sync-folder.ts'
import { readHead } from './refs.ts'
import { unavailable, writeEmptyRepository } from './repository-folder.ts'
import { requireGit, runGit, tryGit } from './run-git.ts'

/** What a bundle says its repository has checked out. */
export interface BundledHead {
  /** Such as `refs/heads/main`; null when no branch was checked out. */
  readonly branch: string | null
  readonly commit: CommitSha
}

export interface BundleOptions {
  readonly repository: string
  readonly programPath: string | undefined | null
  /** The file of the bundle. */
  readonly bundle: string
}

const SYNCED = ['-c', 'core.fsync=all', '-c', 'core.fsyncMethod=fsync']
/** How often another branch may be checked out while the bundle is written. */
const ATTEMPTS = 3

/**
 * Writes every branch and tag with all that they reach into one file. Git looks at the refs once,
 * and what they reach never changes, so a service and git commands may go on writing beside it.
 *
 * @throws {ServiceError} `unavailable`, with what git says.
 */
export async function bundleRepository(options: BundleOptions): Promise<BundledHead> {
  const gitDir = join(options.repository, '.git')
  const git = await requireGit(options.programPath)
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { branch } = await readHead({ fs: nodeFs, gitDir })
    await runGit(git, gitDir, ['bundle', 'create', '--quiet', options.bundle, 'HEAD', '--all'])
    const heads = await runGit(git, gitDir, ['bundle', 'list-heads', options.bundle])
    const refs = parseHeads(heads.toString('utf8'))
    const commit = refs.get('HEAD')
    if (commit && (branch === null || refs.get(branch) === commit)) return { branch, commit }
  }
  throw unavailable(`${options.repository} has another branch checked out again and again`)
}

/**
 * Makes a repository of a bundle, with its work tree, in a folder that holds none. The `.git`
 * folder appears last and whole.
 *
 * @throws {ServiceError} `unavailable`, with what git says; the bundle is damaged, or a file is in the way.
 */
export async function unbundleRepository(
  options: BundleOptions & { readonly fileName: string },
  { branch, commit }: BundledHead,
): Promise<void> {
  const { repository, bundle, fileName } = options
  const git = await requireGit(options.programPath)
  const draft = join(repository, '.git.draft-restored')
  const run = (...args: readonly string[]) => runGit(git, draft, [...SYNCED, ...args])
  await nodeFs.mkdir(repository, { recursive: true })
  await writeEmptyRepository(nodeFs, draft)
  await run(
    'fetch',
    '--quiet',
    '--no-write-fetch-head',
    '--update-head-ok',
    bundle,
    '+refs/*:refs/*',
  )
  if (branch === null) await run('update-ref', '--no-deref', 'HEAD', commit)
  else await run('symbolic-ref', 'HEAD', branch)
  await run(`--work-tree=${repository}`, 'read-tree', '-m', '-u', 'HEAD')
  // Attributes may let git write other line ends than the document has.
  const document = await tryGit(git, draft, ['cat-file', 'blob', `HEAD:${fileName}`])
  const live = join(repository, ...fileName.split('/'))
  if (document.isDone) await replaceFile(live, document.output)
  await nodeFs.rename(draft, join(repository, '.git'))
  await syncFolder(nodeFs, repository)
  await syncFolder(nodeFs, dirname(repository))
}

function parseHeads(text: string): ReadonlyMap<string, CommitSha> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(41), CommitSha.parse(line.slice(0, 40))]))
}
