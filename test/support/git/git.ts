import { runSmall } from '../programs/run-small.ts'

/**
 * An environment in which git has its defaults, whatever the user of this machine prefers. Git
 * starts no maintenance after a command, as repositories of tests are small.
 */
export const PLAIN_GIT = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
  ...identityOf('Gil'),
}

export interface GitCall {
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
}

export interface GitEnd {
  readonly status: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** Runs the git executable in a folder as another tool would, and gives its standard output. */
export function git(folder: string, ...args: readonly string[]): string {
  return gitBytes(folder, args).toString()
}

/** The same, without the end of the last line. */
export function gitLine(folder: string, ...args: readonly string[]): string {
  return git(folder, ...args).trimEnd()
}

/** The exact output of git, which must succeed. */
export function gitBytes(folder: string, args: readonly string[], call: GitCall = {}): Buffer {
  return outputOf(`${args[0]}`, tryGit(folder, args, call))
}

/** Commits a file as it is, and gives the commit. */
export function commitFile(
  folder: string,
  { name, message, env = {} }: { name: string; message: string } & Pick<GitCall, 'env'>,
): string {
  const script = 'git add -- "$1" && git commit --quiet --message "$2" && git rev-parse HEAD'
  return gitScript(folder, script, [name, message], { env }).trimEnd()
}

/**
 * Has a shell run git several times, with arguments, and gives what that prints: a process as large
 * as this one is slow to start others.
 */
export function gitScript(
  folder: string,
  script: string,
  args: readonly string[],
  call: GitCall = {},
): string {
  return outputOf('script', run('sh', folder, ['-ec', script, 'sh', ...args], call)).toString()
}

/** Runs git, which may fail. */
export function tryGit(folder: string, args: readonly string[], call: GitCall = {}): GitEnd {
  return run('git', folder, args, call)
}

function outputOf(what: string, { status, stdout, stderr }: GitEnd): Buffer {
  if (status === 0) return stdout
  throw new Error(`git ${what} ended with ${status}: ${stdout.toString()}${stderr}`)
}

function run(program: string, folder: string, args: readonly string[], call: GitCall): GitEnd {
  const { status, stdout, stderr } = runSmall(program, args, {
    cwd: folder,
    env: { ...PLAIN_GIT, ...call.env },
    input: call.input ?? '',
  })
  return { status, stdout, stderr: stderr.toString() }
}

/** The objects of these names, such as `HEAD:file`, in their order. */
export function readObjects(folder: string, names: readonly string[]): Buffer[] {
  const input = names.map((name) => `${name}\n`).join('')
  const output = gitBytes(folder, ['cat-file', '--batch'], { input })
  let at = 0
  return names.map(() => {
    const start = output.indexOf('\n', at) + 1
    const end = start + Number(output.toString('latin1', at, start).split(' ')[2])
    at = end + 1
    return output.subarray(start, end)
  })
}

/** The variables that set the author and committer of git. */
export function identityOf(name: string): Readonly<Record<string, string>> {
  const email = `${name.toLowerCase()}@example.org`
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}
