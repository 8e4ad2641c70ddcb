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
 * Lists commits of the other repository that a range of this one has: those that were imported
 * earlier, and with `ownToo` those of the same name, as of a clone.
 */
export async function listImported(
  { git, gitDir }: { git: GitExecutable; gitDir: string },
  range: readonly string[],
  { wanted, ownToo }: { readonly wanted: ReadonlySet<CommitSha>; readonly ownToo: boolean },
): Promise<ReadonlyMap<CommitSha, ImportedBefore>> {
  const format = `--format=%H%x00${trailerOf(IMPORTED_TRAILER)}%x00${trailerOf('Config-MD5')}`
  const log = ['log', '--no-show-signature', '--no-color', format, ...range, '--']
  const output = await readGit({ git, gitDir }, log)
  const imported = output.split('\n').flatMap((line) => {
    const [commit = '', source = '', digest = ''] = line.split('\0')
    const names = ownToo ? [source.trim(), commit] : [source.trim()]
    return names.flatMap((name) => {
      const sha = CommitSha.safeParse(name).data
      if (sha === undefined || !wanted.has(sha)) return []
      return [[sha, { commit, digest: digest.trim() || null }] as const]
    })
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
