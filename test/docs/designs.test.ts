import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { BuildScene } from '../support/builds/build-service.ts'

const DESIGN = readFileSync(new URL('../../src/state/DESIGN.md', import.meta.url), 'utf8')

describe('the DESIGN of the state store', () => {
  it('has a command that looks inside', { tags: ['sqlite3'] }, async () => {
    const scene = await BuildScene.open()
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await agent.work()
    const [, command = ''] = /`(sqlite3 [^`]+)`/.exec(DESIGN) ?? []

    const cwd = scene.service.folder
    const output = execFileSync('sh', ['-c', command], { cwd, encoding: 'utf8' })

    expect(output).toMatch(/^\d+\|Assigned\n$/)
  })
})
