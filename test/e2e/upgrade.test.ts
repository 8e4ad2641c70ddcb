// @module-tag long
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DatabaseSync } from '../../src/storage/sqlite-engine.ts'
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

/** Makes the state that of the version that kept the audit log in files. */
function withFormerAudit(folder: string): void {
  const state = new DatabaseSync(join(folder, 'state', 'state.sqlite'))
  state.exec("DROP TABLE audit_entry; UPDATE meta SET n = 1 WHERE key = 'version'")
  state.close()
  const entry = { id: 1, time: 1, user: 'ana', action: 'save', target: '/x', address: 'a' }
  const line = JSON.stringify({ ...entry, outcome: 'done' })
  mkdirSync(join(folder, 'state', 'audit'))
  writeFileSync(join(folder, 'state', 'audit', 'audit-000000000000001.jsonl'), `${line}\n`)
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

it('a start says what it took over of an earlier version, and no command leaves it out', async () => {
  const folder = tempDir()
  await whileServed({ folder })
  withFormerAudit(folder)
  const state = ['--state-dir', join(folder, 'state')]

  for (const command of [['state', 'dump'], ['audit']]) {
    const refused = await run([...command, ...state])
    expect(refused.code).toBe(1)
    expect(refused.stdout).toBe('')
    expect(refused.stderr).toMatch(
      /has the audit log of an earlier version: start the service once/,
    )
  }
  const log = await whileServed({ folder })

  expect(log).toMatch(/"The state of an earlier version was brought up to date".*"from":1/)
  expect(log).toMatch(/"The audit log of an earlier version was taken into the state".*"entries":1/)
  const dump = await run(['state', 'dump', ...state])
  expect(dump.code).toBe(0)
  expect(dump.stdout).toContain('"target":"/x"')
  expect((await run(['audit', ...state])).stdout).toMatch(/  ana  save  \/x  from a  done/)
})

it('a command of a later version beside a service leaves its state as it is', async () => {
  const folder = tempDir()
  const part = /\[createTables,createAudit,fillRevisionLists\]/
  const main = otherProgram(part, '[createTables,createAudit,fillRevisionLists,async()=>{}]')
  const list = ['token', 'list', '--state-dir', join(folder, 'state')]

  await whileServed({ folder }, async () => {
    const refused = await run(list, { main })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('stop the service, and start it with this version once')
  })

  await whileServed({ folder })
  await whileServed({ folder, main })
  expect(await run(list, { main })).toMatchObject({ code: 0 })
})
