import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { PipelineStatusBody } from '../../src/wire/pipeline-body.ts'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { BuildScene, jsonOf, messageOf, SECURED } from '../support/builds/build-service.ts'
import { commit, FAST, latest, open, pollsPass } from '../support/builds/trigger-scene.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { element } from '../support/documents/a-configuration.ts'
import { documentWith } from '../support/documents/documents.ts'
import { Clone } from '../support/git/git-client.ts'
import { git } from '../support/git/git.ts'
import { serviceAndClone } from '../support/history/push-scene.ts'
import { pageOf, sendForm } from '../support/pages/page-forms.ts'
import { PostgresCluster } from '../support/programs/postgres-cluster.ts'
import { atEnd, shared } from '../support/programs/at-end.ts'
import { postForm, save } from '../support/service/saving.ts'
import { openTwo } from '../support/service/servers.ts'
import { type CalledService, openService, startService } from '../support/service/service.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const MANUAL = element('approval', { type: 'manual' })
const STAGES = [{ name: 'build', approval: MANUAL }, { name: 'ship' }]
const REASON = 'New disks until two'
const SAVES_REFUSED = `Maintenance: changes of the configuration are refused: ${REASON}`
const STARTS_REFUSED = `Maintenance: new runs are refused: ${REASON}`

type Called = Pick<CalledService, 'fetch'>

function setMode(service: Called, mode: object, as?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify({ reason: REASON, ...mode }) }
  return service.fetch('/api/maintenance', as === undefined ? init : { ...init, as })
}

async function revisionsIn(service: Called): Promise<number> {
  const answer = await service.fetch('/api/config/revisions')
  return RevisionEntry.array().parse(await answer.json()).length
}

async function metricsOf(service: Called): Promise<string[]> {
  const text = await (await service.fetch('/metrics')).text()
  return text.split('\n').filter((line) => line.startsWith('cairn_maintenance{'))
}

/** One call for each door of programs and people; all would change the configuration. */
async function callDoors(service: CalledService): Promise<Record<string, Response>> {
  const send = (path: string, method: string, body: string, headers = {}) =>
    service.fetch(path, { method, body, headers })
  const other = documentWith('other')
  const json = { 'content-type': 'application/json' }
  const proposal = { title: 'Other', document: other }
  const proposed = await send('/api/proposals', 'POST', JSON.stringify(proposal), json)
  const number = String(Object(await jsonOf(proposed)).number)
  const [newest, older] = RevisionEntry.array().parse(
    await (await service.fetch('/api/config/revisions')).json(),
  )
  const entity = '<environment name="new" />'
  const rules = 'version: 1\nrules: []\n'
  const md5 = newest?.md5 ?? ''
  return {
    put: await save(service, other),
    post: await postForm(service, { xmlFile: other, md5 }),
    form: await sendForm(service, '/config/edit', {
      xml: other,
      basedOn: md5,
      action: 'save',
      entity: '',
    }),
    entity: await send('/api/config/entities/environment/new', 'PUT', entity, {
      'if-none-match': '*',
    }),
    restore: await send(`/api/config/revisions/${older?.commitSHA}/restore`, 'POST', '', {
      'if-match': `"${md5}"`,
    }),
    undo: await sendForm(service, `/config/${newest?.commitSHA}/undo`, {
      basedOn: md5,
      reason: 'Wrong',
    }),
    merge: await send(`/api/proposals/${number}/merge`, 'POST', '{}', json),
    rules: await send('/api/admin/rules.yaml', 'PUT', rules, { 'if-none-match': '*' }),
  }
}

describe('maintenance', () => {
  it('refuses changes of the configuration at every door, with the reason, and nothing else', async () => {
    const service = await openService()
    await save(service, documentWith('first'))
    await save(service, documentWith('second'))
    const before = await revisionsIn(service)

    await setMode(service, { saves: 'refused' })

    const answers = await callDoors(service)
    for (const [door, answer] of Object.entries(answers)) {
      expect([door, answer.status]).toEqual([door, 503])
      expect(await answer.text()).toContain(SAVES_REFUSED)
    }
    expect(await revisionsIn(service)).toBe(before)
    expect((await service.fetch('/api/config/revisions')).status).toBe(200)
    await setMode(service, { saves: 'allowed' })
    expect((await save(service, documentWith('other'))).status).toBe(200)
  })

  it('holds an edit of the live file until changes are allowed; follows a commit by git itself', async () => {
    const service = await startService(['--poll-interval', '50ms'])
    await save(service, documentWith('first'))
    await setMode(service, { saves: 'refused' })
    const live = join(service.repository, 'config.xml')

    writeFileSync(live, documentWith('edited'))

    const problems = async () =>
      HealthBody.parse(await (await service.fetch('/health')).json()).problems
    await expect.poll(problems).toMatchObject([{ subject: expect.stringContaining(SAVES_REFUSED) }])
    expect(readFileSync(live, 'utf8')).toBe(documentWith('edited'))
    await setMode(service, { saves: 'allowed' })
    await expect.poll(() => revisionsIn(service)).toBe(3)
    await setMode(service, { saves: 'refused' })
    writeFileSync(live, documentWith('committed'))
    git(service.repository, 'commit', '--quiet', '-am', 'By hand')
    await expect.poll(() => revisionsIn(service)).toBe(4)
  })

  it('refuses a push, whose terminal has the reason', async () => {
    const { service, clone } = await serviceAndClone()
    await setMode(service, { saves: 'refused' })
    await clone.commit(documentWith('pushed'))

    const { code, stderr } = await clone.push()

    expect([code, stderr]).toEqual([1, expect.stringContaining(SAVES_REFUSED)])
    expect(await Clone.of(service.url)).toBeDefined()
  })

  it('lets runs in progress end, with the stages that follow, and starts none', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages: STAGES }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()

    await setMode(scene.service, { starts: 'refused' })

    await agent.finish(await agent.work(), 'Passed')
    await agent.finish(await agent.work(), 'Passed')
    expect((await scene.stage('1/1', 'app/ship')).result).toBe('Passed')
    const refused = [
      await scene.post('/api/pipelines/app/schedule'),
      await scene.post('/api/stages/app/build/run/1'),
    ]
    for (const answer of refused) {
      expect([answer.status, await messageOf(answer)]).toEqual([503, STARTS_REFUSED])
    }
    const status = await scene.get('/api/pipelines/app/status')
    expect(PipelineStatusBody.parse(await jsonOf(status)).schedulable).toBe(false)
    await setMode(scene.service, { starts: 'allowed' })
    await scene.schedule()
  })

  it('keeps changes of materials for its end, and starts what waited at once', async () => {
    const { scene, agent } = await open({ pipelines: [{ name: 'app' }] })
    await agent.finish(await agent.work(), 'Passed')
    await setMode(scene.service, { starts: 'refused' })

    commit(scene)
    await pollsPass(scene)

    expect(await latest(scene)).toBe('1 by changes')
    await setMode(scene.service, { starts: 'allowed' })
    await expect.poll(() => latest(scene)).toBe('2 by changes')
  })

  it('is on every page, in health, metrics and the audit log, and is kept over a restart', async () => {
    const folder = tempDir()
    const first = await startService([], folder)
    const path = '/maintenance'
    const sent = await sendForm(first, path, { saves: 'refused', starts: 'refused', reason: '<b>' })
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      expect.stringContaining(path),
    ])
    await first.close()

    const service = await startService([], folder)

    const both = 'Maintenance: changes of the configuration and new runs are refused: &lt;b&gt;'
    for (const page of ['/pipelines', '/config', '/agents', path])
      expect(await pageOf(service, page)).toContain(both)
    const health = HealthBody.parse(await (await service.fetch('/health')).json())
    const mode = { saves: 'refused', starts: 'refused', reason: '<b>', by: 'admin' }
    expect(health.maintenance).toMatchObject(mode)
    expect(await (await service.fetch('/health', { as: null })).text()).not.toContain('<b>')
    expect(await metricsOf(service)).toEqual([
      'cairn_maintenance{refused="saves"} 1',
      'cairn_maintenance{refused="starts"} 1',
    ])
    const audit = AuditBody.parse(await (await service.fetch('/api/audit')).json())
    expect(audit.entries).toContainEqual(
      expect.objectContaining({ action: 'set-maintenance', user: 'admin', outcome: 'done' }),
    )
    await sendForm(service, path, { reason: '' })
    expect(await pageOf(service, '/pipelines')).not.toContain('Maintenance: ')
  })

  it('begins with the flag before anything starts, until somebody ends it', async () => {
    const service = await startService(['--maintenance', ...FAST])

    expect(await (await service.fetch('/api/maintenance')).json()).toMatchObject({
      saves: 'refused',
      starts: 'refused',
      reason: 'Started with --maintenance',
      by: 'Server',
    })
    expect((await save(service, documentWith('first'))).status).toBe(503)
    const audit = AuditBody.parse(await (await service.fetch('/api/audit')).json())
    expect(audit.entries).toContainEqual(
      expect.objectContaining({ action: 'set-maintenance', user: 'Server' }),
    )
    await setMode(service, { saves: 'allowed' })
    expect((await save(service, documentWith('first'))).status).toBe(200)
  })

  it('is for administrators, and takes no other words', async () => {
    const scene = await BuildScene.open({ server: SECURED })

    expect((await setMode(scene.service, { saves: 'refused' }, 'vera:vera')).status).toBe(403)
    const wrong = await setMode(scene.service, { saves: 'never' })
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('saves')])
    expect((await setMode(scene.service, { save: 'refused' })).status).toBe(400)
  })

  it('is not ended by a body that names nothing to allow', async () => {
    const service = await openService()
    await setMode(service, { saves: 'refused' })

    const answer = await setMode(service, {})

    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('saves')])
    const mode = await jsonOf(await service.fetch('/api/maintenance'))
    expect(mode).toMatchObject({ saves: 'refused', starts: 'allowed' })
  })
})

describe('maintenance of several servers', { tags: ['postgresql', 'long'] }, () => {
  const cluster = shared(async () => {
    const started = await PostgresCluster.start()
    atEnd(() => started[Symbol.asyncDispose]())
    return started
  })

  it('holds at all of them at once, whichever was asked', async () => {
    const [leader, follower] = await openTwo(cluster().freshSchema())

    await setMode(follower, { saves: 'refused', starts: 'refused' })

    expect((await save(leader, documentWith('a'))).status).toBe(503)
    expect((await save(follower, documentWith('a'))).status).toBe(503)
    await expect.poll(() => pageOf(leader, '/pipelines')).toContain(REASON)
    await setMode(leader, { saves: 'allowed' })
    expect((await save(follower, documentWith('a'))).status).toBe(200)
  })
})
