import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PLAIN_GIT } from './git.ts'
import { ADMIN_PASSWORD } from '../service/service.ts'
import { tempDir } from '../disk/temp-folder.ts'

export interface GitOutcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The address of the repository of a service, with the credentials of a caller. */
export function repositoryUrl(url: string, as = `admin:${ADMIN_PASSWORD}`): string {
  const [username = '', password = ''] = as.split(':')
  const address = new URL(`${url}/git/config.git`)
  address.username = username
  address.password = password
  return address.href
}

/** Runs the git program in a folder without waiting for it, as the service may be in this process. */
export async function runGit(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<GitOutcome> {
  const child = spawn('git', args, {
    cwd: folder,
    env: {
      ...PLAIN_GIT,
      GIT_TERMINAL_PROMPT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}

/** A work tree that was cloned from a service, removed when the test has finished. */
export class Clone {
  readonly folder = tempDir()

  /** @throws when git refuses. */
  static async of(url: string, ...options: readonly string[]): Promise<Clone> {
    const clone = new Clone()
    await clone.git('clone', '--quiet', ...options, repositoryUrl(url), '.')
    return clone
  }

  /** Runs git and returns its output; throws its message when it fails. */
  async git(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(...args)
    if (code !== 0) throw new Error(stderr)
    return stdout
  }

  try(...args: readonly string[]): Promise<GitOutcome> {
    return runGit(this.folder, args)
  }

  write(document: string): void {
    writeFileSync(join(this.folder, 'config.xml'), document)
  }

  /** Commits a document, and gives the commit. */
  async commit(document: string, message = 'By hand'): Promise<string> {
    this.write(document)
    await this.git('commit', '--quiet', '--all', '--allow-empty', '-m', message)
    return (await this.git('rev-parse', 'HEAD')).trim()
  }

  push(...args: readonly string[]): Promise<GitOutcome> {
    return this.try('push', ...args)
  }
}
