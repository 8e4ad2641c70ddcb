import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ObjectFormatName } from '../../../src/core/object-name.ts'
import { git, gitBytes, gitLine, identityOf } from '../git/git.ts'
import { startService } from '../service/service.ts'
import { command } from '../programs/command.ts'
import { tempDir } from '../disk/temp-folder.ts'

export const FILE = 'conf.xml'

export interface Facts {
  readonly user: string
  readonly time: number
  readonly md5: string
}

export function md5(bytes: string | Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

/** A foreign repository, with its documents in a file of another name. */
export class Source {
  readonly folder = tempDir()
  #time = 1_600_000_000

  constructor(format: ObjectFormatName = 'sha1') {
    git(this.folder, 'init', '--quiet', '--initial-branch=trunk', `--object-format=${format}`)
  }

  commit(name: string, document: string | null, message = `By ${name}`): string {
    this.#time += 3_600
    if (document !== null) writeFileSync(join(this.folder, FILE), document)
    git(this.folder, 'add', '--all')
    const date = `${this.#time} +0530`
    const env = { ...identityOf(name), GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    gitBytes(this.folder, ['commit', '--quiet', '--allow-empty', '-m', message], { env })
    return gitLine(this.folder, 'rev-parse', 'HEAD')
  }
}

/** Where a service would find its things. */
export class Target {
  readonly cwd = tempDir()
  readonly repository = join(this.cwd, 'config-repo')

  import(from: string, ...flags: readonly string[]) {
    const places = ['--config-repo', this.repository, '--state-dir', join(this.cwd, 'state')]
    return command(['import', from, '--file', FILE, ...places, ...flags])
  }

  git(...args: readonly string[]): string {
    return git(this.repository, ...args)
  }

  log(format: string): string[] {
    return this.git('log', '--date-order', `--format=${format}`).trim().split('\n')
  }

  /** Faults of the repository. */
  complaints(): string {
    return this.git('fsck', '--strict', '--no-dangling') + this.git('status', '--porcelain')
  }
}

/** Users, times and digests, newest first, as a service tells them. */
export async function factsOf(target: Target, ...flags: readonly string[]): Promise<Facts[]> {
  const service = await startService(flags, target.cwd)
  const revisions: unknown = await (await service.fetch('/api/config/revisions')).json()
  await service.close()
  const list: { username: string; time: number; md5: string }[] = Array.isArray(revisions)
    ? revisions
    : []
  return list.map(({ username: user, time, md5: digest }) => ({ user, time, md5: digest }))
}
