import { describe, expect, it } from 'vitest'
import { run, start } from '../support/programs/start.ts'
import { startService } from '../support/service/service.ts'

const POST = { method: 'POST' }

describe('cairn audit', () => {
  it('prints the log of a service that runs, and with --follow what comes', async () => {
    const service = await startService()
    await service.fetch('/api/agents/before/enable', POST)
    const cwd = service.folder

    const whole = await run(['audit', '--state-dir', 'state'], { cwd })
    const following = start(['audit', '--follow', '--json', '--state-dir', 'state'], { cwd })
    await expect.poll(() => following.stdout).toContain('/api/agents/before/enable')
    await service.fetch('/api/agents/after/enable', POST)
    await expect.poll(() => following.stdout).toContain('/api/agents/after/enable')
    following.process.kill('SIGTERM')
    const { code, stdout } = await following.ended()

    expect(whole.stdout).toMatch(
      /^\S+Z {2}admin {2}enable-agent {2}\/api\/agents\/before\/enable {2}from 127\.0\.0\.1 {2}refused 404 agent-not-found$/m,
    )
    expect(code).toBe(0)
    const lines = stdout.trim().split('\n')
    expect(new Set(lines).size).toBe(lines.length)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      user: 'admin',
      action: 'enable-agent',
      target: '/api/agents/after/enable',
      outcome: 'refused',
    })
  })

  it('prints no character by which a name could move the cursor', async () => {
    const service = await startService()
    const claimed = Buffer.from('\u001b[2Jeve\u202e:x').toString('base64')
    await service.fetch('/config', { as: null, headers: { authorization: `Basic ${claimed}` } })
    await service.close()

    const { stdout } = await run(['audit', '--state-dir', 'state'], { cwd: service.folder })

    expect(stdout).toContain('[2Jeve')
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u)
  })
})
