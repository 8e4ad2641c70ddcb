import { text } from 'node:stream/consumers'
import { CommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import { ended } from '../../processes/piped-process.ts'
import { unavailable } from '../../core/errors.ts'

/** The trailer that names the commit that an imported one was in its own repository. */
export const IMPORTED_TRAILER = 'Imported-Commit'

export interface ImportedBefore {
  readonly commit: string
  readonly digest: string | null
}

/**
 * Lists the commits imported earlier into the history of a commit, by their names in the other
 * repository.
 */
export async function listImported(
  { git, gitDir }: { git: GitExecutable; gitDir: string },
  range: readonly string[],
): Promise<ReadonlyMap<CommitSha, ImportedBefore>> {
  const format = `--format=%H%x00${trailerOf(IMPORTED_TRAILER)}%x00${trailerOf('Config-MD5')}`
  const log = ['log', '--no-show-signature', '--no-color', format, ...range, '--']
  const output = await readGit({ git, gitDir }, log)
  const imported = output.split('\n').flatMap((line) => {
    const [commit = '', source = '', digest = ''] = line.split('\0')
    const sha = CommitSha.safeParse(source.trim())
    return sha.success ? [[sha.data, { commit, digest: digest.trim() || null }] as const] : []
  })
  return new Map(imported)
}

function trailerOf(key: string): string {
  return `%(trailers:key=${key},valueonly,separator=%x20)`
}

/**
 * Returns the output of git.
 *
 * @throws {ServiceError} `unavailable` when it fails, with its reason.
 */
export async function readGit(
  { git, gitDir }: { git: GitExecutable; gitDir: string },
  args: readonly string[],
): Promise<string> {
  const child = git.start(gitDir, args)
  child.stdin.end()
  const [output, complaint, how] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended(child),
  ])
  if (how === 'exit code 0') return output
  throw unavailable(`git ${args[0]} failed: ${complaint.trim() || how}`)
}
