import { buffer, text } from 'node:stream/consumers'
import { ended, GitExecutable } from './git-executable.ts'
import { unavailable } from './repository-folder.ts'

/** What a git command did: its output, what it complained of, and how it ended. */
export interface GitEnd {
  readonly output: Buffer
  readonly errors: string
  readonly isDone: boolean
  /** How it ended, in words. */
  readonly end: string
}

/** Runs a git command to its end, however it ends. */
export async function tryGit(
  git: GitExecutable,
  gitDir: string,
  args: readonly string[],
): Promise<GitEnd> {
  const child = git.start(gitDir, args)
  child.stdin.end()
  const [output, errors, end] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    ended(child),
  ])
  return { output, errors, end, isDone: end === 'exit code 0' }
}

/**
 * Runs a git command and gives its output.
 *
 * @throws {ServiceError} `unavailable`, with what git says, when it fails.
 */
export async function runGit(
  git: GitExecutable,
  gitDir: string,
  args: readonly string[],
): Promise<Buffer> {
  const { output, errors, end, isDone } = await tryGit(git, gitDir, args)
  if (isDone) return output
  throw unavailable(`git ${commandOf(args)} failed: ${errors.trim() || end}`)
}

/** @throws {ServiceError} `unavailable` when there is no git program, or one that is too old. */
export async function requireGit(path: string | undefined | null): Promise<GitExecutable> {
  const git = path === null ? null : await GitExecutable.find({ path })
  if (git !== null) return git
  throw unavailable('This needs the git program, 2.30 or newer, and it was not found')
}

/** The command among its arguments: what is neither an option nor the value of `-c`. */
function commandOf(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c') ?? ''
}
