// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { documentWith } from '../support/documents/documents.ts'
import { commitFile } from '../support/git/git.ts'
import { otherProgram } from '../support/programs/other-program.ts'
import { run, start } from '../support/programs/start.ts'
import { placesIn } from '../support/service/backups.ts'
import { save } from '../support/service/saving.ts'
import { ADMIN_PASSWORD, callerOf } from '../support/service/service.ts'

type Caller = ReturnType<typeof callerOf>

/** Starts a program on a folder, does something while it serves, and ends it. Returns its log. */
async function whileServed(
  { folder, main }: { readonly folder: string; readonly main?: string },
  act: (fetch: Caller) => Promise<void> = async () => {},
): Promise<string> {
  const env = { CAIRN_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const flags = ['serve', '--port', '0', '--poll-interval', '100ms', ...placesIn(folder)]
  const program = start(flags, main === undefined ? { env } : { env, main })
  await act(callerOf(await program.line(/^cairn ready (\S+)$/m)))
  program.process.kill('SIGTERM')
  const { code, stderr } = await program.ended()
  expect(code).toBe(0)
  return stderr
}

const current = async (fetch: Caller) => (await fetch('/api/admin/config.xml')).text()

it('a program of the same version judges again what the one before it did not accept', async () => {
  const folder = tempDir()
  const [repository, deep] = [join(folder, 'config-repo'), documentWith('app')]
  const main = otherProgram(/maxDepth:200,/, 'maxDepth:4,')
  await whileServed({ folder, main }, async (fetch) => {
    const first = await current(fetch)
    writeFileSync(join(repository, 'config.xml'), deep)
    commitFile(repository, { name: 'config.xml', message: 'By hand' })
    await expect.poll(async () => (await fetch('/health')).text()).toMatch(/nested|depth|levels/)
    expect(await current(fetch)).toBe(first)
  })

  await whileServed({ folder }, async (fetch) => {
    expect(await current(fetch)).toBe(deep)
    expect(await (await fetch('/api/config/revisions')).json()).toMatchObject([
      { number: 2, subject: 'By hand' },
      {},
    ])
    expect((await save({ fetch }, documentWith('app', 'next'))).status).toBe(200)
  })
  expect(await run(['verify', '--config-repo', repository])).toMatchObject({ code: 0 })
})
