import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { identityOf, PLAIN_GIT } from './git.ts'

const BRANCH = 'refs/heads/main'
const execute = promisify(execFile)

export interface Imported {
  /** The parent of the first commit; the newest commit of the branch when not given. */
  readonly from?: string
  /** Where the commits go. */
  readonly ref?: string
  /** Whether the branch goes there from wherever it is. */
  readonly isForced?: boolean
  readonly messageOf?: (place: number) => string
}

/**
 * Commits documents with `git fast-import`, beside all other users of the repository, without
 * looking at its work tree.
 *
 * @throws when git refuses.
 */
export async function fastImport(
  folder: string,
  documents: readonly string[],
  {
    ref = BRANCH,
    from = `${BRANCH}^0`,
    isForced = true,
    messageOf = (place) => `Import ${place}`,
  }: Imported = {},
): Promise<void> {
  const commits = documents.map((document, n) =>
    [
      `commit ${ref}`,
      'committer native <native@example.org> 1700000000 +0000',
      data(messageOf(n)),
      ...(n === 0 ? [`from ${from}`] : []),
      'M 100644 inline config.xml',
      data(document),
      '',
    ].join('\n'),
  )
  const force = isForced ? ['--force'] : []
  await gitBeside(folder, ['fast-import', '--quiet', ...force], commits.join(''))
}

/** Runs git while this process goes on, and gives what it prints. */
export async function gitBeside(cwd: string, args: readonly string[], input = ''): Promise<string> {
  const env = { ...PLAIN_GIT, ...identityOf('native') }
  const running = execute('git', args, { cwd, env })
  // A command that reads nothing, or that has failed, says so by its end.
  running.child.stdin?.on('error', () => undefined).end(input)
  return (await running).stdout.trim()
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`
}
