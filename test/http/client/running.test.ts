import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { exec } from '../../support/documents/a-configuration.ts'
import { shared } from '../../support/programs/at-end.ts'
import { ClientCommands } from '../../support/service/client-commands.ts'

function running(command: string) {
  const stages = [{ name: 'build', jobs: [{ tasks: [exec(command)] }] }]
  return { agents: [{ uuid: 'a1', hostname: 'one' }], pipelines: [{ name: 'app', stages }] }
}

const opened = shared(async () => {
  const scene = await BuildScene.open(running('make'))
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  await scene.schedule()
  await agent.finish(await agent.work(), 'Passed')
  await scene.configure(running('make test'))
  await scene.schedule()
  await agent.finish(await agent.work(), 'Failed')
  return new ClientCommands(scene.service)
})

describe('the commands about runs', () => {
  it('lists runs with their results and configuration, newest first', async () => {
    const lines = await opened().lines('runs', 'app')
    const [newest] = await opened().lines('runs', 'app', '--limit', '1')

    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/^2 .* UTC {2}by \S+ {2}r\d+ {2}build Failed$/)
    expect(newest).toBe(lines[0])
  })

  it('says what changed since a run last passed', async () => {
    const [head, likeliest] = await opened().lines('why', 'app')
    const given = await opened().lines('why', 'app', '2', '--from', '1')

    expect(head).toBe('app 1 to 2, stage build')
    expect(likeliest).toMatch(/^1\. r\d+ by \S+ changed the pipeline app: .*make → make test/)
    expect(given[1]).toBe(likeliest)
  })

  it('refuse pipelines and runs that are not there, with the words of the server', async () => {
    const pipeline = await opened().run('runs', 'nowhere')
    const run = await opened().run('why', 'app', '7')
    const word = await opened().run('why', 'app', 'newest')

    expect([pipeline.code, run.code, word.code]).toEqual([1, 1, 2])
    expect(pipeline.stderr).toMatch(/^cairn: .*nowhere/)
    expect(run.stderr).toMatch(/^cairn: .*7/)
  })
})
