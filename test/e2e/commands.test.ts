import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents.ts'
import { git } from '../support/git.ts'
import { save } from '../support/saving.ts'
import { startService } from '../support/service.ts'
import { run } from '../support/start.ts'
import { tempDir } from '../support/temp-folder.ts'
import { CallingAgent } from '../support/agent-calls.ts'

const SECRET = 'hunter2-in-plain'

function documentWithSecret(): string {
  return documentWith('a').replace(
    '<git url="https://example.org/a.git" />',
    `<svn url="https://example.org/a" username="ana" password="${SECRET}" />`,
  )
}

/** Every object of a repository, as text. */
function allObjects(repository: string): string {
  const list = git(repository, 'cat-file', '--batch-all-objects', '--batch-check')
    .trim()
    .split('\n')
  const blobs = list
    .filter((line) => line.includes(' blob '))
    .map((line) => line.split(' ')[0] ?? '')
  return blobs.map((oid) => git(repository, 'cat-file', 'blob', oid)).join('\n')
}

describe('secrets', () => {
  it('are sealed before the commit, whichever way the document comes', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    await save(service, documentWithSecret())
    await save(service, documentWith('b'))
    writeFileSync(join(service.repository, 'config.xml'), documentWithSecret())
    await expect
      .poll(async () => (await service.fetch('/api/admin/config.xml')).text(), { timeout: 8_000 })
      .toContain('encryptedPassword="AES:')

    const served = await (await service.fetch('/api/admin/config.xml')).text()

    expect(served).not.toContain(SECRET)
    expect(allObjects(service.repository)).not.toContain(SECRET)
    expect(JSON.stringify(service.logged)).not.toContain(SECRET)
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
  })

  it('are sealed again by a new key when rotated', async () => {
    const service = await startService()
    await save(service, documentWithSecret())
    const before = await (await service.fetch('/api/admin/config.xml')).text()
    await service.close()
    const places = [
      '--config-repo',
      service.repository,
      '--state-dir',
      join(service.folder, 'state'),
    ]

    const { code, stdout } = await run(['secrets', 'rotate', ...places])

    const after = git(service.repository, 'show', 'HEAD:config.xml')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^1 secrets/) })
    expect(after).toContain('encryptedPassword="AES:')
    expect(after).not.toBe(before)
  })
})

describe('cairn state', () => {
  it('dumps, checks and loads the store', async () => {
    const service = await startService()
    const agent = new CallingAgent(service)
    await agent.register()
    await service.close()
    const from = ['--state-dir', join(service.folder, 'state')]
    const target = tempDir()
    const dumpFile = join(target, 'dump.jsonl')

    const dumped = await run(['state', 'dump', ...from])
    writeFileSync(dumpFile, dumped.stdout)
    const loaded = await run(['state', 'load', dumpFile, '--state-dir', target])
    const again = await run(['state', 'dump', '--state-dir', target])
    const checked = await run(['state', 'check', '--state-dir', target])

    expect([dumped, loaded, again, checked].map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(dumped.stdout).toContain(agent.uuid)
    expect(dumped.stdout).not.toContain(agent.token)
    expect(again.stdout).toBe(dumped.stdout)
  })

  it('makes no store where there is none', async () => {
    const { code, stderr } = await run(['state', 'check', '--state-dir', tempDir()])

    expect(code).toBe(1)
    expect(stderr).toContain('state.sqlite')
  })
})
