import { spawnSync } from 'node:child_process'

/** An environment in which git has its defaults, whatever this machine's user prefers. */
export const PLAIN_GIT = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
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

/** What git prints, to the byte; it must succeed. */
export function gitBytes(folder: string, args: readonly string[], call: GitCall = {}): Buffer {
  const { status, stdout, stderr } = tryGit(folder, args, call)
  if (status === 0) return stdout
  throw new Error(`git ${args[0]} ended with ${status}: ${stdout.toString()}${stderr}`)
}

/** Runs git, which may fail. */
export function tryGit(folder: string, args: readonly string[], call: GitCall = {}): GitEnd {
  const { status, stdout, stderr, error } = spawnSync('git', args, {
    cwd: folder,
    env: { ...PLAIN_GIT, ...call.env },
    input: call.input ?? '',
    maxBuffer: 2 ** 30,
  })
  if (error) throw error
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

/** The variables that make git commit as somebody. */
export function identityOf(name: string): Readonly<Record<string, string>> {
  const email = `${name.toLowerCase()}@example.org`
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}
