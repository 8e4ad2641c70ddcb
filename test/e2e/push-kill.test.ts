// @module-tag long
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { repositoryUrl, runGit } from '../support/git/git-client.ts'
import { git } from '../support/git/git.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { writeFileSync } from 'node:fs'

const ROUNDS = 5
/** The longest that a push is let live, in milliseconds; each round ends at another moment of it. */
const MAX_LIFETIME_MS = 900

async function serve(cwd: string) {
  const env = { CAIRN_ADMIN_PASSWORD: 'a password', CAIRN_PORT: '0' }
  const program = start(['serve'], { cwd, env })
  const url = repositoryUrl(await program.line(/^cairn ready (\S+)\n$/), 'admin:a password')
  return { program, url }
}

async function commit(clone: string, name: string): Promise<string> {
  writeFileSync(join(clone, 'config.xml'), documentWith(name))
  await runGit(clone, ['commit', '-qam', name])
  return git(clone, 'rev-parse', 'HEAD').trim()
}

describe('a service that is killed while it takes pushes', () => {
  it('has every push that it acknowledged, and none by half', { timeout: 240_000 }, async () => {
    const [cwd, clone] = [tempDir(), tempDir()]
    const repository = join(cwd, 'config-repo')
    const acknowledged: string[] = []
    const sent = new Set<string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const { program, url } = await serve(cwd)
      if (round === 0) await runGit(clone, ['clone', '-q', url, '.'])
      await runGit(clone, ['remote', 'set-url', 'origin', url])
      const push = async (): Promise<boolean> => {
        await runGit(clone, ['fetch', '-q'])
        await runGit(clone, ['reset', '-q', '--hard', 'origin/main'])
        const sha = await commit(clone, `r${round}-${sent.size}`)
        sent.add(sha)
        const { code } = await runGit(clone, ['push', '-q'])
        if (code === 0) acknowledged.push(sha)
        return code === 0
      }
      await push()
      const killed = program.ended()
      setTimeout(() => program.process.kill('SIGKILL'), (MAX_LIFETIME_MS * (round + 1)) / ROUNDS)
      while (await push());
      await killed
    }

    const { program } = await serve(cwd)
    const commits = git(repository, 'rev-list', 'HEAD').trim().split('\n')
    expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS)
    expect(acknowledged.filter((sha) => !commits.includes(sha))).toEqual([])
    expect(commits.slice(0, -1).filter((sha) => !sent.has(sha))).toEqual([])
    expect(git(repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    expect(git(repository, 'status', '--porcelain')).toBe('')
    program.process.kill('SIGTERM')
    expect((await program.ended()).code).toBe(0)
  })
})
