// @module-tag long
import { createHash } from 'node:crypto'
import { readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aConfiguration } from '../support/documents/a-configuration.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { start } from '../support/programs/start.ts'
import { ADMIN_PASSWORD, callerOf } from '../support/service/service.ts'
import { save } from '../support/service/saving.ts'

const LARGE = aConfiguration({
  pipelines: Array.from({ length: 1_500 }, (_, n) => ({ name: `p-${n}` })),
})

/** Starts the program that is shipped, does something while it serves, and ends it. */
async function whileServed(
  folder: string,
  act: (service: { readonly fetch: ReturnType<typeof callerOf> }) => Promise<void>,
): Promise<void> {
  const places = ['--config-repo', join(folder, 'repo'), '--state-dir', join(folder, 'state')]
  const env = { CAIRN_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const program = start(['serve', '--port', '0', ...places], { env })
  const url = await program.line(/^cairn ready (\S+)$/m)
  await act({ fetch: callerOf(url) })
  program.process.kill('SIGTERM')
  expect(await program.ended()).toMatchObject({ code: 0 })
}

it('a start takes what the same program found of a large configuration, and anything else anew', async () => {
  const folder = tempDir()
  const file = join(folder, 'state', 'configuration-facts')
  const current = async (service: { readonly fetch: ReturnType<typeof callerOf> }) => {
    expect(await (await service.fetch('/api/admin/config.xml')).text()).toBe(LARGE)
    expect((await service.fetch('/api/pipelines/p-1499/status')).status).toBe(200)
  }

  await whileServed(folder, async (service) => {
    expect((await save(service, LARGE)).status).toBe(200)
  })
  const [found, { ino }] = [readFileSync(file, 'utf8'), statSync(file)]
  expect(found).toContain(createHash('sha256').update(LARGE).digest('hex'))
  await whileServed(folder, current)
  expect(statSync(file).ino).toBe(ino)
  truncateSync(file, 1_000)
  await whileServed(folder, current)
  expect(readFileSync(file, 'utf8')).toBe(found)
})
