// @module-tag long
import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { git } from '../support/git/git.ts'
import { SHARED_DATA } from '../support/programs/shared-data.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs', 'from-gocd.md'), 'utf8')
const EXAMPLES = Array.from(PAGE.matchAll(/```sh\n([\s\S]*?)```/g), ([, text = '']) => text)
const SERVE = EXAMPLES.findIndex((text) => text.startsWith('cairn serve '))
const AGENTS = [
  { uuid: 'u-1', hostname: 'h', ip_address: '10.0.0.1', agent_config_state: 'Enabled' },
]

/** A server that answers with its agents, whatever it is asked. */
async function oldServer(): Promise<string> {
  const body = JSON.stringify({ _embedded: { agents: AGENTS } })
  const server = createServer((_, answer) => answer.end(body)).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

describe('docs/from-gocd.md', () => {
  it.skipIf(SHARED_DATA === null)(
    'moves a real history, command by command',
    { timeout: 120_000, tags: ['bash', 'curl'] },
    async () => {
      const cwd = tempDir()
      const bundle = join(SHARED_DATA ?? '', 'real-config-history.bundle')
      git(cwd, 'clone', '--quiet', '--bare', '-b', 'master', bundle, join(cwd, 'db', 'config.git'))
      symlinkSync(join(ROOT, 'scripts/cairn.js'), join(cwd, 'cairn'))
      const variables = {
        PATH: `${cwd}:${process.env['PATH']}`,
        HOME: cwd,
        GOCD_DATA: cwd,
        GOCD_URL: await oldServer(),
        GOCD_USER: 'ana:p',
        PASSWORD: 'a-password',
      }
      const bash = async (...examples: readonly string[]) => {
        const script = `set -euo pipefail\n${examples.join('\n')}`
        return (await promisify(execFile)('bash', ['-c', script], { cwd, env: variables })).stdout
      }

      const before = await bash(...EXAMPLES.slice(0, SERVE))
      const flags = (EXAMPLES[SERVE] ?? '').trim().split(' ').slice(1)
      const own = ['--port', '0', '--admin-password', variables.PASSWORD]
      const url = await start([...flags, ...own], { cwd }).line(/^cairn ready (\S+)\n$/)
      const after = await bash(
        ...EXAMPLES.slice(SERVE + 1).map((text) => text.replaceAll('http://127.0.0.1:8153', url)),
      )

      expect(before).toContain('cruise-config.xml is valid\n')
      expect(before).toContain('Imported 551 commits of old-config, branch master\n')
      expect(before).toContain('Listed 1 agent, 0 of them disabled\n')
      expect(after).toContain('[{"entity":"server","at":')
      expect(git(join(cwd, 'config-repo'), 'log', '-1', '--format=%an').trim()).toBe('Import')
    },
  )
})
