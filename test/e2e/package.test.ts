// @module-tag long
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { tempDir } from '../support/disk/temp-folder.ts'
import { CommandOfNpm } from '../support/programs/command-of-npm.ts'
import { rootFile } from '../support/programs/root-file.ts'
import { until } from '../support/programs/until.ts'

const run = promisify(execFile)
/** In bytes. Source maps without packages are half a megabyte of it, and would be as much as the program. */
const MAX_BUILD = 6_000_000
const Packed = z.tuple([
  z.object({
    filename: z.string(),
    files: z.array(z.object({ path: z.string(), size: z.number() })),
  }),
])

it('the package installs and starts in an empty folder', { timeout: 240_000 }, async () => {
  const [packed, folder] = [tempDir(), realpathSync(tempDir())]
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', packed]
  const { stdout } = await run('npm', args, { cwd: rootFile('.') })
  const [{ filename, files }] = Packed.parse(JSON.parse(stdout))
  const built = files.filter(({ path }) => path.startsWith('dist/'))
  expect(built.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MAX_BUILD)
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(packed, filename)]

  await run('npm', install, { cwd: folder })
  const served = new CommandOfNpm('npx', ['cairn', 'serve', '--port', '0'], folder)

  await until(() => served.output.includes('cairn ready '), 60_000)
  const [, url = ''] = /^cairn ready (\S+)$/m.exec(served.output) ?? []
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  expect((await fetch(`${url}/login`)).status).toBe(200)
  served.process.kill('SIGTERM')
  await once(served.process, 'exit')
  await until(() => served.alive().length === 0, 30_000)
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['config-repo', 'state']))
  const packages = readdirSync(join(folder, 'node_modules'))
  expect(packages).toContain('isomorphic-git')
  expect(packages).not.toContain('hono')
  const licenses = readFileSync(join(folder, 'node_modules/cairn/dist/licenses.txt'), 'utf8')
  expect(licenses).toMatch(/^hono \S+ \(MIT\)\n\nMIT License\n/m)
  const folders = new Set(files.map(({ path }) => path.split('/')[0] ?? ''))
  expect(folders).toEqual(new Set(['LICENSE', 'README.md', 'dist', 'package.json', 'scripts']))
})
