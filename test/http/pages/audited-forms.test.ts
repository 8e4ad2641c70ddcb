import { describe, expect, it } from 'vitest'
import { AuditBody } from '../../../src/wire/audit-body.ts'
import { BuildScene, jsonOf } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'

/** What the audit log says last about these actions, oldest first. */
async function told(scene: BuildScene, most: number) {
  const { entries } = AuditBody.parse(await jsonOf(await scene.get(`/api/audit?limit=${most}`)))
  return entries
    .filter(({ action }) => action !== 'change-configuration')
    .map(({ action, target, outcome, reason = '' }) => [action, target, outcome, reason])
    .toReversed()
}

function form(...fields: [name: string, value: string][]): URLSearchParams {
  return new URLSearchParams(fields)
}

describe('the audit log, of what is done on pages', () => {
  it('names each agent of a choice, and how it went with each', async () => {
    const scene = await BuildScene.open()
    await ProtocolAgent.join(scene.service, 'a1')
    await ProtocolAgent.join(scene.service, 'a2')
    await scene.post('/api/agents/a2/disable')
    const chosen: [string, string][] = ['a1', 'a2', 'gone'].map((uuid) => ['agent', uuid])

    await scene.post('/agents', undefined, form(...chosen, ['action', 'delete']))

    expect(await told(scene, 4)).toEqual([
      ['delete-agent', '/api/agents/a1/delete', 'refused', 'agent-not-deletable'],
      ['delete-agent', '/api/agents/a2/delete', 'done', ''],
      ['delete-agent', '/api/agents/gone/delete', 'refused', 'agent-not-found'],
    ])
  })

  it('names the agents that a step of their removal was for', async () => {
    const scene = await BuildScene.open()
    await ProtocolAgent.join(scene.service, 'a1')
    await ProtocolAgent.join(scene.service, 'a2')

    const path = '/agents/remove?agent=a1&agent=a2'
    await scene.post(path, undefined, form(['step', 'disable']))

    expect(await told(scene, 4)).toEqual([
      ['disable-agent', '/api/agents/a1/disable', 'done', ''],
      ['disable-agent', '/api/agents/a2/disable', 'done', ''],
    ])
  })

  it('names what is started, and what could not be', async () => {
    const scene = await BuildScene.open()

    await scene.post('/pipelines', undefined, form(['pipeline', 'app'], ['action', 'trigger']))
    const never = form(['action', 'run'], ['stage', 'build'], ['counter', '9'])
    await scene.post('/pipelines/app', undefined, never)
    await scene.post('/stages/app/build/1/1', undefined, form(['action', 'cancel']))
    await scene.post('/stages/app/build/1/1', undefined, form(['action', 'rerun']))

    expect(await told(scene, 4)).toEqual([
      ['schedule-pipeline', '/api/pipelines/app/schedule', 'done', ''],
      ['run-stage', '/api/stages/app/build/run/9', 'refused', ''],
      ['cancel-stage', '/stages/app/build/1/1', 'done', ''],
      ['run-stage', '/api/stages/app/build/run/1', 'done', ''],
    ])
  })
})
