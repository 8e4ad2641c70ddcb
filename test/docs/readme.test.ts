import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { deployed } from '../support/programs/root-file.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const ADDRESS = 'http://127.0.0.1:8153'

/** A failing example ends the script, and what it started in the background. */
const STRICT = "set -euo pipefail; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"

const examples = examplesIn(README)
/**
 * The part about operation. Steps before and after need machines of their own: `deployment.test.ts`
 * has them.
 */
const operation = examplesIn(
  deployed('README.md').split('\n## Watch\n')[1]?.split('\n## State in PostgreSQL\n')[0] ?? '',
)

function examplesIn(text: string): string[] {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
}

describe('README.md', () => {
  it('has the two commands, each in one line', () => {
    expect(examples.slice(0, 2)).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n'])
  })

  it(
    'has examples that all work, one after the other, on a new service, as those of its operation do',
    { timeout: 60_000, tags: ['bash', 'curl'] },
    async () => {
      const cwd = tempDir()
      symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
      const [, given = ''] = /`npm start -- (.+?)`: the repositories/.exec(README) ?? []
      const flags = [...given.split(' '), '--port', '0', '--admin-password', 'a-password']
      const url = await start(['serve', ...flags], { cwd }).line(/^cairn ready (\S+)\n$/)
      symlinkSync(join(ROOT, 'scripts/cairn.js'), join(cwd, 'cairn'))
      const [schedule = ''] = README.match(/^curl .*\/schedule$/m) ?? []
      const refused = `${schedule.replace('/hello/', '/nowhere/')} || true`
      // The shell that started the service in the background has it as the first job.
      const script = ['sleep 300 &', ...examples.slice(2), 'kill %1', ...operation, refused]
        .join('\n')
        .replaceAll(ADDRESS, url)
        .replaceAll('npx cairn', 'cairn')

      const output = execFileSync('bash', ['-c', `${STRICT}\n${script}`], {
        cwd,
        encoding: 'utf8',
        env: { PATH: `${cwd}:${process.env['PATH']}`, HOME: cwd, PASSWORD: 'a-password' },
      })

      expect(examples.length).toBeGreaterThan(12)
      expect(operation.length).toBeGreaterThan(4)
      expect(output).toContain('@@')
      expect(output).toContain('<pipelines group="demo" />')
      expect(output).toMatch(/hello world\n/)
      expect(output).toContain('nowhere')
    },
  )

  it('can be read in one go, and leads to files that there are', () => {
    const links = [...README.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path)

    expect(README.split('\n').length).toBeLessThan(200)
    expect(links.length).toBeGreaterThan(6)
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})
