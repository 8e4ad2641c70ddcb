// @module-tag long
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import {
  edited,
  GUARDED,
  guardedParts,
  OTHER_GOAL,
  TWO_EYES,
} from '../support/gate/guarded-document.ts'
import { guard, GuardedService } from '../support/gate/guarded-service.ts'
import { commitFile, git } from '../support/git/git.ts'
import { command } from '../support/programs/command.ts'
import { backUp, restoreNew } from '../support/service/backups.ts'
import { openService } from '../support/service/service.ts'

const KEY = 'a-key-of-agents'
const TOLD = 'The rule two-eyes '

/** A service with the guarded group, and rules about it. */
async function guarded(folder = tempDir(), ...flags: readonly string[]): Promise<GuardedService> {
  const service = new GuardedService(await guard(await openService(flags, folder)))
  await service.rules(TWO_EYES)
  return service
}

/** The service as it is opened again on its folder. */
async function again(folder: string): Promise<GuardedService> {
  return new GuardedService(await openService([], folder))
}

/** Whether the guarded group is as it was, and a change of it is refused by the rule. */
async function isGuarded(service: GuardedService): Promise<boolean> {
  const { status, text } = await service.put(OTHER_GOAL)
  return status === 403 && text.includes(TOLD) && (await service.document()) === GUARDED
}

describe('what the service does by itself opens no way around a rule', () => {
  it('when an agent registers with markup in what it says of itself', async () => {
    const service = await guarded(tempDir(), '--auto-register-key', KEY)
    const before = await service.document()
    const agent = new CallingAgent(service.service)
    agent.facts.hostname = 'x" /></agents><pipelines group="pay"><pipeline name="steal" />'
    const wishes = { key: KEY, resources: [], environments: ['live'], hostname: null }
    await agent.tryRegister(wishes)
    const after = await service.document()

    expect(guardedParts(after).replace(/<agents>[^]*?<\/agents>\s*/, '')).toContain(
      guardedParts(before).match(/  <pipelines group="pay">[^]*?<\/pipelines>/)?.[0] ?? 'none',
    )
    expect(after).not.toContain('<pipeline name="steal"')
  })

  it('when a secret has to be sealed with what a rule holds up', async () => {
    const service = await guarded()
    const secret = edited(
      '<variable name="TOKEN">',
      '<variable name="STOLEN" secure="true"><value>plain</value></variable><variable name="TOKEN">',
    )
    const { status, text } = await service.put(secret)

    expect([status, text]).toEqual([403, expect.stringContaining(TOLD)])
    expect(await service.document()).toBe(GUARDED)
  })

  it('when it is started again, on a history that it takes over', async () => {
    const folder = tempDir()
    const service = await guarded(folder)
    await service.service.close()

    expect(await isGuarded(await again(folder))).toBe(true)
  })

  it('when a backup is restored: its approvals hold for what they held for, once', async () => {
    const folder = tempDir()
    const service = await guarded(folder)
    const number = await service.propose('ann', { document: OTHER_GOAL })
    const other = await service.propose('ann', {
      document: edited('<param name="goal">all<', '<param name="goal">other<'),
    })
    await service.must('abe', number, 'approve')
    const file = join(tempDir(), 'backup.tar.gz')
    expect(await backUp(folder, file)).toMatchObject({ code: 0 })
    const restored = await restoreNew(file)
    expect(restored.code).toBe(0)
    const copy = await again(restored.folder)

    expect(await isGuarded(copy)).toBe(true)
    expect((await copy.act('ann', other, 'merge')).status).toBe(403)
    expect((await copy.act('ann', number, 'merge')).status).toBe(200)
    expect((await copy.act('ann', number, 'merge')).status).toBe(409)
    expect(await copy.document()).toBe(OTHER_GOAL)
  })

  it('when its repository is adopted with another state', async () => {
    const folder = tempDir()
    const service = await guarded(folder)
    await service.service.close()
    const other = tempDir()
    cpSync(join(folder, 'config-repo'), join(other, 'config-repo'), { recursive: true })
    cpSync(join(folder, 'state', 'users.htpasswd'), join(other, 'state', 'users.htpasswd'))
    writeFileSync(join(other, 'config-repo', 'config.xml'), OTHER_GOAL)
    const adopted = await again(other)

    expect(await adopted.document()).toBe(GUARDED)
    expect(await isGuarded(adopted)).toBe(true)
  })

  it('when a repository is adopted without the index and the record of what it was', async () => {
    const folder = tempDir()
    const service = await guarded(folder)
    await service.service.close()
    const other = tempDir()
    git(other, 'clone', '--quiet', join(folder, 'config-repo'), join(other, 'config-repo'))
    cpSync(join(folder, 'state', 'users.htpasswd'), join(other, 'state', 'users.htpasswd'))
    const adopted = await again(other)

    expect(await isGuarded(adopted)).toBe(true)
  })

  it('when another history is imported: the rules that were there hold for what comes after it', async () => {
    const folder = tempDir()
    const service = await guarded(folder)
    await service.service.close()
    const source = tempDir()
    git(source, 'init', '--quiet', '-b', 'main')
    const theirs = edited('https://example.org/shop.git', 'https://example.org/theirs.git')
    writeFileSync(join(source, 'config.xml'), theirs)
    commitFile(source, { name: 'config.xml', message: 'Theirs' })
    const state = ['--state-dir', join(folder, 'state')]
    const target = ['--config-repo', join(folder, 'config-repo'), ...state]
    const imported = await command(['import', source, ...target])
    expect(imported).toMatchObject({ code: 0 })
    const after = await again(folder)
    const rules = await after.call('/api/admin/rules.yaml')

    expect(rules).toEqual({ status: 200, text: TWO_EYES })
    expect(await after.document()).toBe(theirs)
    const { status, text } = await after.put(
      edited('<param name="goal">all<', '<param name="goal">steal<', theirs),
    )
    expect([status, text]).toEqual([403, expect.stringContaining(TOLD)])
  })
})
