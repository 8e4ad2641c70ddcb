import { describe, expect, it } from 'vitest'
import { BuildScene, jsonOf } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BASE, md5, serviceAt, submit } from '../../support/pages/editor-forms.ts'
import { sendForm } from '../../support/pages/page-forms.ts'
import { save } from '../../support/service/saving.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import type { TestService } from '../../support/service/service.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

/** The latest entries of the audit log about these actions, oldest first. */
async function told(scene: BuildScene, most: number) {
  const { entries } = AuditBody.parse(await jsonOf(await scene.get(`/api/audit?limit=${most}`)))
  return entries
    .filter(({ action }) => action !== 'change-configuration')
    .map(({ action, target, outcome, reason = '' }) => [action, target, outcome, reason])
    .toReversed()
}

/** The names and the reasons of what was refused on pages, oldest first. */
async function refusals(service: TestService) {
  const answer = await service.fetch('/api/audit')
  return AuditBody.parse(await answer.json())
    .entries.filter(({ outcome, target }) => outcome === 'refused' && !target.startsWith('/api'))
    .map(({ action, reason = '' }) => `${action}: ${reason}`)
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

  it('says nothing of a choice of agents that only leads to the page of their removal', async () => {
    const scene = await BuildScene.open()
    await ProtocolAgent.join(scene.service, 'a1')
    const before = await told(scene, 9)

    await scene.post('/agents', undefined, form(['agent', 'a1'], ['action', 'remove']))

    expect(await told(scene, 9)).toEqual(before)
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
      ['run-stage', '/api/stages/app/build/run/9', 'refused', 'stage-not-found'],
      ['cancel-stage', '/stages/app/build/1/1', 'done', ''],
      ['run-stage', '/api/stages/app/build/run/1', 'done', ''],
    ])
  })
})

describe('the audit log, of forms that are refused', () => {
  it('has the reason of each that the editor refuses', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('alpha.git', 'other.git'))

    await submit(service, { action: 'save', xml: BASE.replace('<cruise', '<crews') })
    await submit(service, { action: 'save', xml: BASE.replace('alpha.git', 'third.git') })
    await submit(service, { action: 'save', xml: BASE, basedOn: '0'.repeat(32) })

    expect(await refusals(service)).toEqual([
      'save-configuration: config-invalid',
      'save-configuration: config-stale',
      'save-configuration: config-stale',
    ])
  })

  it('says of each who was not allowed to', async () => {
    const unseen = '<authorization><view><user>admin</user></view></authorization>'
    const grouped = BASE.replace(/<pipelines [^>]*>/, `$&${unseen}`)
    const service = await serviceAt(grouped.replace(/<cruise[^>]*>/, `$&${ADMIN_ALONE}`))
    await addSomeone(service)
    const forms = ['/config/edit', '/config/new-pipeline', '/config/live', '/config/r1/restore']

    for (const path of forms) {
      const body = new URLSearchParams({ action: 'save', xml: BASE, basedOn: md5(BASE) })
      await service.fetch(path, { method: 'POST', body, as: SOMEONE })
    }

    expect(await refusals(service)).toEqual([
      'save-configuration: not-permitted',
      'create-pipeline: not-permitted',
      'set-live-file-aside: not-permitted',
      'restore-revision: not-permitted',
    ])
  })

  it('has the reason of a pipeline that is not made', async () => {
    const service = await serviceAt()

    await sendForm(service, '/config/new-pipeline', { action: 'create', name: 'new' })
    const taken = { action: 'create', name: 'alpha', url: 'http://scm/r' }
    await sendForm(service, '/config/new-pipeline', taken)

    expect(await refusals(service)).toEqual([
      'create-pipeline: malformed-request',
      'create-pipeline: name-in-use',
    ])
  })

  it('has nothing of a pipeline that is only previewed, and the name of one that is created', async () => {
    const service = await serviceAt()
    const fields = {
      name: 'new',
      url: 'http://scm/r',
      scm: 'git',
      builder: 'exec',
      command: 'make',
    }

    const shown = await sendForm(service, '/config/new-pipeline', { ...fields, action: 'preview' })
    await sendForm(service, '/config/new-pipeline', { action: 'preview', name: 'new' })

    expect(shown.status).toBe(200)
    const created = async () => {
      const log = await service.fetch('/api/audit?action=create-pipeline')
      return AuditBody.parse(await log.json()).entries.map(({ target }) => target)
    }
    expect(await created()).toEqual([])
    await sendForm(service, '/config/new-pipeline', { ...fields, action: 'create' })
    expect(await created()).toEqual(['/tab/admin/pipelines/new.json'])
    expect(await (await service.fetch('/audit')).text()).toContain('href="/pipelines/new">new</a>')
  })

  it('has the reason of a restore that is refused, and of a file that stays', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('alpha.git', 'other.git'))

    await sendForm(service, '/config/r2/restore', { reason: 'It broke', basedOn: '0'.repeat(32) })
    await sendForm(service, '/config/live', { version: 'gone' })

    expect(await refusals(service)).toEqual([
      'restore-revision: config-stale',
      'set-live-file-aside: config-stale',
    ])
  })
})
