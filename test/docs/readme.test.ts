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
/** What it tells of before takes a machine of its own: `deploy.test.ts` and `compose.test.ts` judge that. */
const operation = examplesIn(deployed('README.md').split('\n## Watch\n')[1] ?? '')

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
      const flags = ['--local-materials', '.', '--port', '0', '--admin-password', 'p']
      const url = await start(['serve', ...flags], { cwd }).line(/^cairn ready (\S+)\n$/)
      const script = [...examples.slice(2), ...operation]
        .join('\n')
        .replaceAll(ADDRESS, url)
        .replaceAll('npx cairn', `node ${ROOT}scripts/cairn.js`)

      const output = execFileSync('bash', ['-c', `${STRICT}\n${script}`], {
        cwd,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: cwd, PASSWORD: 'p' },
      })

      expect(examples.length).toBeGreaterThan(12)
      expect(operation.length).toBeGreaterThan(4)
      expect(output).toContain('@@')
      expect(output).toContain('<pipelines group="demo" />')
      expect(output).toMatch(/hello world\n/)
    },
  )

  it('can be read in one go, and leads to files that there are', () => {
    const links = [...README.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path)

    expect(README.split('\n').length).toBeLessThan(200)
    expect(links.length).toBeGreaterThan(6)
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})
