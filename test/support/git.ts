import { execFileSync } from 'node:child_process'

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Gil',
  GIT_AUTHOR_EMAIL: 'gil@example.org',
  GIT_COMMITTER_NAME: 'Gil',
  GIT_COMMITTER_EMAIL: 'gil@example.org',
}

/** Runs the git executable in a folder as another tool would, and gives its standard output. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...IDENTITY }
  return execFileSync('git', ['-C', folder, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
