import { renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, GUARDED, SECURED } from '../../support/builds/build-service.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'

const MANUAL = element('approval', { type: 'manual' })
const APP = { name: 'app', stages: [{ name: 'build' }, { name: 'ship', approval: MANUAL }] }

async function builtOnce(scene: BuildScene): Promise<void> {
  await scene.schedule()
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  await agent.finish(await agent.work())
}

function followed(scene: BuildScene, response: Response): Promise<string> {
  return pageOf(scene.service, response.headers.get('location') ?? '')
}

function triggersIn(page: string): string[] {
  return Array.from(page.matchAll(/aria-label="Trigger (\w+)"/g), ([, name = '']) => name)
}

describe('the page of the pipelines', () => {
  it('explains itself while there is none', async () => {
    const scene = await BuildScene.open({ pipelines: [] })

    expect(await pageOf(scene.service, '/pipelines')).toContain('There is no pipeline for you yet')
  })

  it('shows the groups with the newest run of each pipeline, and what triggered it', async () => {
    const scene = await BuildScene.open({
      groups: [
        { group: 'shop', pipelines: [APP] },
        { group: 'back', pipelines: [{ name: 'batch', stages: [{ approval: MANUAL }] }] },
      ],
    })
    await builtOnce(scene)

    const page = await pageOf(scene.service, '/pipelines')

    expect(page).toMatch(/<h2>shop<\/h2>.*app.*<h2>back<\/h2>.*batch/s)
    expect(page).toMatch(/Run 1<\/b>.*triggered by admin/s)
    expect(page).toMatch(/href="\/stages\/app\/build\/1\/1".*build.*Passed/s)
    expect(page).toMatch(/ship<\/span> <span class="muted">not run/)
    expect(page).toContain('It has not run yet')
    expect(await pageOf(scene.service, '/pipelines?q=BACK')).not.toContain('href="/pipelines/app"')
  })

  it('triggers a pipeline, and says plainly when it cannot', async () => {
    const scene = await BuildScene.open({ pipelines: [{ ...APP, attributes: { isLocked: true } }] })
    const trigger = { action: 'trigger', pipeline: 'app' }

    const first = await sendForm(scene.service, '/pipelines', trigger)
    const second = await sendForm(scene.service, '/pipelines', trigger)
    const none = await sendForm(scene.service, '/pipelines', { ...trigger, pipeline: 'nothing' })

    expect(await followed(scene, first)).toContain('The run app / 1 is scheduled.')
    expect(second.status).toBe(409)
    const refused = await second.text()
    expect(refused).toContain('The pipeline app is locked by its run 1.')
    expect(refused).toContain('Locked by run 1')
    expect(none.status).toBe(404)
    expect(await none.text()).toContain('There is no pipeline nothing.')
  })

  it('unlocks a pipeline once its run is not in progress', async () => {
    const scene = await BuildScene.open({ pipelines: [{ ...APP, attributes: { isLocked: true } }] })
    await scene.schedule()
    const unlock = { action: 'unlock', pipeline: 'app' }
    const early = await sendForm(scene.service, '/pipelines', unlock)
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work())

    const late = await sendForm(scene.service, '/pipelines/app', unlock)
    const again = await sendForm(scene.service, '/pipelines/app', unlock)

    expect(early.status).toBe(409)
    expect(await early.text()).toContain('keeps its lock: the stage build is in progress')
    expect(await followed(scene, late)).toContain('The pipeline app is unlocked.')
    expect(await followed(scene, again)).toContain('was not locked')
    expect(await pageOf(scene.service, '/pipelines')).not.toContain('Locked by')
  })

  it('tells which pipelines have a material that cannot be read', async () => {
    const gone = element('git', { url: '/nowhere/at/all' })
    const scene = await BuildScene.open({ pipelines: [APP, { name: 'lost', materials: [gone] }] })
    await scene.post('/api/pipelines/lost/schedule')

    const page = await pageOf(scene.service, '/pipelines?q=lost')

    expect(page).toContain('A material cannot be read:')
    expect(await pageOf(scene.service, '/pipelines?q=app')).not.toContain('<p class="problem">')
    expect(page).not.toContain('/nowhere')
  })

  it('marks the material that cannot be read beside the newest run, until it can be read', async () => {
    const scene = await BuildScene.open({ pipelines: [APP] })
    await scene.schedule()
    renameSync(scene.origin, `${scene.origin}.away`)
    await scene.post('/api/pipelines/app/schedule')
    const pages = ['/pipelines/app', '/stages/app/build/1/1']

    for (const path of pages) {
      expect(await pageOf(scene.service, path)).toContain('It cannot be read now: git: ')
    }
    renameSync(`${scene.origin}.away`, scene.origin)
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work())
    await scene.schedule()
    for (const path of pages) {
      expect(await pageOf(scene.service, path)).not.toContain('cannot be read')
    }
  })

  it('shows and offers what the caller may see and do', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        { group: 'guarded', authorization: GUARDED, pipelines: [APP] },
        { group: 'open', pipelines: [{ name: 'free' }] },
      ],
    })
    const trigger = { action: 'trigger', pipeline: 'app' }

    const vera = await pageOf(scene.service, '/pipelines', 'vera')
    const pete = await pageOf(scene.service, '/pipelines', 'pete')
    const statuses = await Promise.all(
      ['vera', 'pete'].map(async (user) => [
        (await sendForm(scene.service, '/pipelines', trigger, user)).status,
        (await sendForm(scene.service, '/pipelines/app', trigger, user)).status,
        (await sendForm(scene.service, '/pipelines/app', { action: 'unlock' }, user)).status,
        (await scene.get('/pipelines/app', user)).status,
      ]),
    )

    expect(triggersIn(vera)).toEqual(['free'])
    expect(vera).toContain('href="/pipelines/app"')
    expect(pete).not.toContain('href="/pipelines/app"')
    expect(statuses).toEqual([
      [403, 403, 403, 200],
      [403, 403, 403, 403],
    ])
  })

  it('refuses a form of another site, and one that asks for nothing known', async () => {
    const scene = await BuildScene.open({ pipelines: [APP] })
    const body = new URLSearchParams({ action: 'trigger', pipeline: 'app' })
    const headers = { 'sec-fetch-site': 'cross-site' }

    const forged = await scene.service.fetch('/pipelines', { method: 'POST', body, headers })
    const unknown = await sendForm(scene.service, '/pipelines/app', { action: 'explode' })

    expect([forged.status, unknown.status]).toEqual([403, 400])
    expect(await pageOf(scene.service, '/pipelines')).toContain('It has not run yet')
  })

  it('comes in pages when there are very many', async () => {
    const pipelines = Array.from({ length: 120 }, (_, n) => ({ ...APP, name: `p${n}` }))
    const scene = await BuildScene.open({ pipelines })

    const page = await pageOf(scene.service, '/pipelines')

    expect(page).toContain('1 to 50 of 120')
    expect(page.match(/<[a-z]/g)?.length).toBeLessThan(6_000)
    expect(await pageOf(scene.service, '/pipelines?offset=100')).toContain('101 to 120 of 120')
  })
})

describe('the page of a pipeline', () => {
  it('shows its runs, and between them only the changes of its own configuration', async () => {
    const scene = await BuildScene.open({ pipelines: [APP, { name: 'other' }] })
    await builtOnce(scene)
    await scene.configure({
      pipelines: [
        { ...APP, variables: { REGION: 'eu' } },
        { name: 'other', timer: '0 0 1 * * ?' },
      ],
    })
    await scene.configure({
      pipelines: [
        { ...APP, variables: { REGION: 'eu' } },
        { name: 'other', timer: '0 0 2 * * ?' },
      ],
    })
    await scene.schedule()

    const page = await pageOf(scene.service, '/pipelines/app')

    expect(page).toMatch(/Run 2<\/b>.*Config changed.*admin.*variable REGION.*Run 1<\/b>/s)
    expect(page).not.toContain('timer')
    expect(page.match(/Config changed/g)).toHaveLength(2)
    expect(page).toMatch(/<span class="muted">git origin <\/span>/)
  })

  it('shows the changes of its configuration to those who may view it', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [{ group: 'guarded', authorization: GUARDED, pipelines: [APP] }],
    })
    await scene.schedule()

    const page = await pageOf(scene.service, '/pipelines/app', 'vera')

    expect(page).toMatch(/Config changed.*class="changes"/s)
    expect(page).toContain('href="/config/entity/pipeline/app/compare/r1/r2"')
    expect(page).not.toMatch(/href="\/config\/(r\d|compare)/)
  })

  it('runs a stage that waits for somebody, once the one before it is over', async () => {
    const scene = await BuildScene.open({ pipelines: [APP] })
    await scene.schedule()
    const early = await pageOf(scene.service, '/pipelines/app')
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work())

    const late = await pageOf(scene.service, '/pipelines/app')
    const run = { action: 'run', stage: 'ship', counter: '1' }
    const started = await sendForm(scene.service, '/pipelines/app', run)

    expect(early).not.toContain('Run stage ship')
    expect(late).toContain('Run stage ship')
    expect(await followed(scene, started)).toContain('The run app / 1 / ship / 1 is scheduled.')
    expect((await scene.stage('1/1', 'app/ship')).approved_by).toBe('admin')
  })

  it('confirms only what was done, to the user who did it, once', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const trigger = { action: 'trigger', pipeline: 'app' }
    const done = await sendForm(scene.service, '/pipelines', trigger)
    const path = (done.headers.get('location') ?? '').replace(scene.service.url, '')
    const invented = '/pipelines?flash=scheduled&of=Your+password+is+needed+again'

    const pages = [
      await pageOf(scene.service, invented),
      await pageOf(scene.service, path, 'vera'),
      await pageOf(scene.service, path),
      await pageOf(scene.service, path),
    ]

    expect(path).not.toContain('of=')
    expect(pages[0]).not.toContain('Done: ')
    expect(pages.map((page) => page.includes('The run app / 1 is scheduled.'))).toEqual([
      false,
      false,
      true,
      false,
    ])
  })

  it('has ten runs a page and keeps those of a pipeline that is gone', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    for (let run = 1; run <= 11; run += 1) {
      await scene.schedule()
      await agent.finish(await agent.work())
    }
    await scene.configure({ pipelines: [{ name: 'other' }] })

    const first = await pageOf(scene.service, '/pipelines/app')
    const second = await pageOf(scene.service, '/pipelines/app?offset=10')

    expect(first.match(/<li class="run /g)).toHaveLength(10)
    expect(first).toContain('1 to 10 of 11')
    expect(first).toContain('It is no longer in the configuration.')
    expect(first).not.toContain('value="trigger"')
    expect(second.match(/<li class="run /g)).toHaveLength(1)
    expect((await scene.get('/pipelines/nothing')).status).toBe(404)
  })
})
