import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentEntry } from '../../src/wire/agent-entry.ts'
import { git } from '../support/git/git.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { freePort } from '../support/programs/free-port.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const KEY = 'let-me-in'
const WAIT = { timeout: 25_000, interval: 100 }

async function statuses(service: TestService): Promise<string[]> {
  const list: unknown = await (await service.fetch('/api/agents')).json()
  return z
    .array(AgentEntry)
    .parse(list)
    .map(({ status }) => status)
}

async function act(service: TestService, uuid: string, action: string): Promise<number> {
  return (await service.fetch(`/api/agents/${uuid}/${action}`, { method: 'POST' })).status
}

async function runningAgent(service: TestService) {
  const workDir = tempDir()
  const flags = ['--server', service.url, '--work-dir', workDir, '--auto-register-key', KEY]
  const program = start(['agent', ...flags, '--resources', 'linux,docker'])
  await expect.poll(() => statuses(service), WAIT).toEqual(['Idle'])
  const [agent] = z.array(AgentEntry).parse(await (await service.fetch('/api/agents')).json())
  if (!agent) throw new Error('no agent is listed')
  return { program, workDir, agent }
}

describe('a real agent', () => {
  it('says what it is, and keeps its secrets to itself', { timeout: 60_000 }, async () => {
    const service = await startService(['--auto-register-key', KEY])

    const { agent, workDir } = await runningAgent(service)

    expect(agent).toMatchObject({ resources: ['docker', 'linux'], sandbox: workDir })
    expect(agent.os).toMatch(/^Linux /)
    expect(agent.free_space).toMatch(/^\d+\.\d [KMGTP]?B$/)
    const names = readdirSync(workDir, { recursive: true, encoding: 'utf8' })
    expect(names).toContain('identity.json')
    for (const name of names) {
      // A draft that was listed may have got its final name since.
      const mode = statSync(join(workDir, name), { throwIfNoEntry: false })?.mode ?? 0
      expect({ name, others: mode & 0o077 }).toEqual({ name, others: 0 })
    }
  })

  it('is removed by the four steps: Idle, disable, stop, delete', { timeout: 60_000 }, async () => {
    const service = await startService(['--auto-register-key', KEY])
    const { program, agent } = await runningAgent(service)

    const tooEarly = await act(service, agent.uuid, 'delete')
    const disabled = await act(service, agent.uuid, 'disable')
    program.process.kill('SIGTERM')
    const { code } = await program.ended()
    const deleted = await act(service, agent.uuid, 'delete')

    expect([tooEarly, disabled, code, deleted]).toEqual([406, 200, 0, 200])
    expect(await statuses(service)).toEqual([])
    expect(git(service.repository, 'show', 'HEAD:config.xml')).not.toContain(agent.uuid)
  })

  it(
    'that is deleted without being stopped comes back as Pending',
    { timeout: 60_000, tags: ['long'] },
    async () => {
      const service = await startService()
      const workDir = tempDir()
      start(['agent', '--server', service.url, '--work-dir', workDir])
      await expect.poll(() => statuses(service), WAIT).toEqual(['Pending'])
      const [agent] = z.array(AgentEntry).parse(await (await service.fetch('/api/agents')).json())
      const uuid = agent?.uuid ?? ''
      await act(service, uuid, 'enable')
      await expect.poll(() => statuses(service), WAIT).toEqual(['Idle'])

      await act(service, uuid, 'disable')
      const deleted = await act(service, uuid, 'delete')
      const after = await statuses(service)

      expect([deleted, after]).toEqual([200, []])
      await expect.poll(() => statuses(service), WAIT).toEqual(['Pending'])
    },
  )

  it('outlives a restart of its server', { timeout: 60_000, tags: ['long'] }, async () => {
    const port = `${await freePort()}`
    const service = await startService(['--auto-register-key', KEY, '--port', port])
    const { agent } = await runningAgent(service)

    await service.close()
    const again = await startService(['--port', port], service.folder)

    await expect.poll(() => statuses(again), WAIT).toEqual(['Idle'])
    const [listed] = z.array(AgentEntry).parse(await (await again.fetch('/api/agents')).json())
    expect(listed?.uuid).toBe(agent.uuid)
  })
})
