import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, GUARDED, SECURED } from '../../support/builds/build-service.ts'
import { git } from '../../support/git/git.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'

const MANUAL = element('approval', { type: 'manual' })
const APP = { name: 'app', stages: [{ name: 'build' }, { name: 'ship', approval: MANUAL }] }

/** A pipeline that starts when somebody asks for it. */
function asked(name: string) {
  return { name, stages: [{ name: 'build', approval: MANUAL }] }
}

/** The material of a pipeline that follows another one. */
function onto(pipelineName: string) {
  return element('pipeline', { pipelineName, stageName: 'build' })
}

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

/** The pipelines of a list, in their order. */
function namesIn(page: string): string[] {
  return Array.from(page.matchAll(/<a class="row-link" href="[^"]*">([^<]*)/g), ([, name = '']) =>
    name.trim(),
  )
}

function rowOf(page: string, name: string): string {
  const rows = Array.from(page.matchAll(/<li class="pipeline">.*?(?=<li class="pipeline">|$)/gs))
  return rows.map(([row]) => row).find((row) => namesIn(row).includes(name)) ?? ''
}

/** A scene with one pipeline in each of these states. */
async function inEveryState(): Promise<BuildScene> {
  const job = { stages: [{ name: 'build', approval: MANUAL }] }
  const scene = await BuildScene.open({
    groups: [
      {
        group: 'shop',
        pipelines: [
          { ...job, name: 'bad' },
          { ...job, name: 'good' },
          { ...job, name: 'new' },
          { ...job, name: 'stopped' },
          { name: 'asks', stages: [...job.stages, { name: 'ship', approval: MANUAL }] },
        ],
      },
      {
        group: 'platform',
        pipelines: [
          { ...job, name: 'works' },
          {
            name: 'image',
            stages: [{ approval: MANUAL, jobs: [{ name: 'make', resources: ['docker'] }] }],
          },
        ],
      },
    ],
  })
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  for (const [name, result] of [
    ['bad', 'Failed'],
    ['good', 'Passed'],
    ['asks', 'Passed'],
  ] as const) {
    await scene.schedule(name)
    await agent.finish(await agent.work(), result)
  }
  await scene.schedule('stopped')
  await scene.post('/api/stages/stopped/build/cancel')
  await scene.schedule('image')
  await scene.schedule('works')
  await agent.report((await agent.work()).jobId, { state: 'Preparing' })
  return scene
}

describe('the statuses of the pipelines', () => {
  it('are counted, and each count leads to its pipelines', async () => {
    const scene = await inEveryState()

    const page = await pageOf(scene.service, '/pipelines')
    const links = Array.from(
      page.matchAll(/<a href="(\/pipelines\?status=[^"]*)">([^<]*)<\/a>/g),
      ([, href = '', text = '']) => [href, text] as const,
    )
    const listed = await Promise.all(
      links.map(async ([href, text]) => [text, namesIn(await pageOf(scene.service, href))]),
    )

    expect(Object.fromEntries(listed)).toEqual({
      '1 failed': ['bad'],
      '1 building': ['works'],
      '1 waiting for an agent': ['image'],
      '1 waiting for approval': ['asks'],
      '1 cancelled': ['stopped'],
      '1 passed': ['good'],
      '1 not run yet': ['new'],
    })
    const both = await pageOf(scene.service, '/pipelines?status=failed&q=plat')
    expect(namesIn(both)).toEqual([])
    expect(both).toContain('The filter shows 0.')
    expect((await scene.get('/pipelines?status=broken')).status).toBe(400)
  })

  it('distinguish waiting from building, with the reason', async () => {
    const scene = await inEveryState()

    const row = rowOf(await pageOf(scene.service, '/pipelines'), 'image')

    expect(row).toMatch(/Waiting.*no agent has the resource docker\./s)
    expect(row).not.toContain('Building')
  })

  it('include paused and locked, which are counted and filtered beside the result', async () => {
    const scene = await inEveryState()
    await scene.post('/api/pipelines/good/pause')
    await scene.post('/api/pipelines/new/pause')

    const page = await pageOf(scene.service, '/pipelines')
    const paused = await pageOf(scene.service, '/pipelines?status=paused')
    const both = await pageOf(scene.service, '/pipelines?q=status:passed+status:paused')

    expect(page).toContain('2 paused')
    expect(page).toMatch(/shop<\/h2> <span class="muted">5 pipelines: 1 failed, .*2 paused</)
    expect(namesIn(paused)).toEqual(['good', 'new'])
    expect(namesIn(both)).toEqual(['good'])
    expect(page).toContain('1 job in the queue')
  })

  it('show a locked pipeline while its lock is held', async () => {
    const scene = await BuildScene.open({
      pipelines: [{ ...APP, attributes: { isLocked: true } }, asked('other')],
    })
    await scene.schedule()

    expect(namesIn(await pageOf(scene.service, '/pipelines?status=locked'))).toEqual(['app'])
    expect(namesIn(await pageOf(scene.service, '/pipelines?q=label:1'))).toEqual(['app'])
    expect(namesIn(await pageOf(scene.service, '/pipelines?q=label:7'))).toEqual([])
    expect(namesIn(await pageOf(scene.service, '/pipelines?q=name:oth'))).toEqual(['other'])
  })

  it('keep the filter when a pipeline of the list is triggered', async () => {
    const scene = await inEveryState()
    const trigger = { action: 'trigger', pipeline: 'bad' }

    const done = await sendForm(scene.service, '/pipelines?status=failed&q=ba', trigger)

    expect(done.headers.get('location')).toMatch(/\/pipelines\?q=ba&status=failed&flash=/)
  })
})

describe('the page of the pipelines', () => {
  it('says in each row who changed its configuration last, with a link to that change', async () => {
    const scene = await BuildScene.open({ pipelines: [APP, { name: 'other' }] })
    await scene.configure({ pipelines: [{ ...APP, variables: { A: '1' } }, { name: 'other' }] })

    const page = await pageOf(scene.service, '/pipelines')

    const change =
      /href="\/config\/entity\/pipeline\/app\/compare\/r2\/r3">Changed in r3 by admin, /
    expect(rowOf(page, 'app')).toMatch(change)
    expect(rowOf(page, 'other')).toContain('Changed in r2 by admin, ')
  })

  it('says nothing of a group that the caller may not view, where a pipeline came from there', async () => {
    const shut = { group: 'shut', authorization: GUARDED }
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        { ...shut, pipelines: [APP] },
        { group: 'open', pipelines: [{ name: 'x' }] },
      ],
    })
    await scene.configure({
      server: SECURED,
      groups: [
        { ...shut, pipelines: [{ name: 'y' }] },
        { group: 'open', pipelines: [{ name: 'x' }, APP] },
      ],
    })

    const [admin, pete] = [
      await pageOf(scene.service, '/pipelines'),
      await pageOf(scene.service, '/pipelines', 'pete'),
    ]

    expect(rowOf(admin, 'app')).toContain('Changed in r3 by admin, ')
    expect(rowOf(pete, 'app')).toContain('Configuration history')
    expect(rowOf(pete, 'app')).not.toContain('Changed in')
  })

  it('names a run by its label, with the commit that it was the first to include', async () => {
    const attributes = { labeltemplate: '1.4.${COUNT}' }
    const scene = await BuildScene.open({ pipelines: [{ ...APP, attributes }] })
    await builtOnce(scene)
    writeFileSync(join(scene.origin, 'hello.txt'), 'hello again')
    git(scene.origin, 'commit', '--quiet', '--all', '--message', 'Say it again')
    const commit = git(scene.origin, 'rev-parse', '--short=8', 'HEAD').trim()
    await scene.schedule()

    const row = rowOf(await pageOf(scene.service, '/pipelines'), 'app')

    expect(row).toContain('href="/pipelines/app#run-2">Run 1.4.2</a>')
    expect(row).toMatch(new RegExp(`>${commit}</code> Say it again \\(`))
  })

  it('explains itself while there is none', async () => {
    const scene = await BuildScene.open({ pipelines: [] })

    expect(await pageOf(scene.service, '/pipelines')).toContain('No pipelines yet')
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
    expect(page).toMatch(/href="\/pipelines\/app#run-1">Run 1<\/a> triggered by admin/)
    expect(page).toMatch(/href="\/stages\/app\/build\/1\/1".*build.*Passed/s)
    expect(page).toMatch(/ship<\/span> <span class="muted">not run/)
    expect(rowOf(page, 'batch')).not.toContain('Run ')
    expect(await pageOf(scene.service, '/pipelines?q=BACK')).not.toContain('href="/pipelines/app"')
  })

  it('triggers a pipeline, and says plainly when it cannot', async () => {
    const scene = await BuildScene.open({ pipelines: [{ ...APP, attributes: { isLocked: true } }] })
    const trigger = { action: 'trigger', pipeline: 'app' }

    const first = await sendForm(scene.service, '/pipelines', trigger)
    const second = await sendForm(scene.service, '/pipelines', trigger)
    const none = await sendForm(scene.service, '/pipelines', { ...trigger, pipeline: 'nothing' })

    expect(await followed(scene, first)).toContain('Run 1 of app started.')
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
    expect(await followed(scene, late)).toContain('Unlocked pipeline app.')
    expect(await followed(scene, again)).toContain('was not locked')
    expect(await pageOf(scene.service, '/pipelines')).not.toContain('Locked by')
  })

  it('says which pipelines have a material that cannot be read', async () => {
    const gone = element('git', { url: '/nowhere/at/all' })
    const scene = await BuildScene.open({ pipelines: [APP, { name: 'lost', materials: [gone] }] })
    await scene.post('/api/pipelines/lost/schedule')

    const page = await pageOf(scene.service, '/pipelines?q=lost')

    expect(page).toMatch(/<a href="\/pipelines\/lost">\s*1 unreadable material/)
    expect(await pageOf(scene.service, '/pipelines?q=app')).not.toContain('class="problem"')
    const reason = await pageOf(scene.service, '/pipelines/lost')
    expect(reason).toContain('Unreadable material: ')
    expect(`${page} ${reason}`).not.toContain('/nowhere')
  })

  it('marks the material that cannot be read beside the newest run, until it can be read', async () => {
    const scene = await BuildScene.open({ pipelines: [APP] })
    await scene.schedule()
    renameSync(scene.origin, `${scene.origin}.away`)
    await scene.post('/api/pipelines/app/schedule')
    const pages = ['/pipelines/app', '/stages/app/build/1/1']

    for (const path of pages) {
      expect(await pageOf(scene.service, path)).toContain('It cannot be read at the moment: git: ')
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
    expect(await pageOf(scene.service, '/pipelines')).toContain('1 not run yet')
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

    expect(page).toMatch(/Run 2<\/b>.*Configuration change.*admin.*variable REGION.*Run 1<\/b>/s)
    expect(page).not.toContain('timer')
    expect(page.match(/Configuration change/g)).toHaveLength(2)
    expect(page).toMatch(/<span class="muted">git origin <\/span>/)
    expect(page).toContain('<a href="/pipelines/app/compare/1/2">Compare with run 1</a>')
    expect(page.match(/Compare with run/g)).toHaveLength(1)
  })

  it('shows the changes of its configuration to those who may view it', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [{ group: 'guarded', authorization: GUARDED, pipelines: [APP] }],
    })
    await scene.schedule()

    const page = await pageOf(scene.service, '/pipelines/app', 'vera')

    expect(page).toMatch(/Configuration change.*class="changes"/s)
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
    expect(late).toContain('aria-label="Run stage ship of run 1"')
    expect(await followed(scene, started)).toContain('Run 1 of app, stage ship, started.')
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
    expect(pages.map((page) => page.includes('Run 1 of app started.'))).toEqual([
      false,
      false,
      true,
      false,
    ])
  })

  it(
    'has ten runs a page and keeps those of a pipeline that is gone',
    { tags: ['long'] },
    async () => {
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
      expect(first).toContain('No longer in the configuration.')
      expect(first).not.toContain('value="trigger"')
      expect(second.match(/<li class="run /g)).toHaveLength(1)
      expect((await scene.get('/pipelines/nothing')).status).toBe(404)
    },
  )
})

describe('the last runs of a pipeline', () => {
  it('are bars with their results and times, and how many of them passed', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    for (const result of ['Passed', 'Failed', 'Passed'] as const) {
      await scene.schedule()
      await agent.finish(await agent.work(), result)
    }
    await scene.schedule()

    for (const path of ['/pipelines', '/pipelines/app']) {
      const page = await pageOf(scene.service, path)
      expect(page).toContain('aria-label="Last 4 runs: 1 in progress, 2 passed, 1 failed"')
      expect(page).toMatch(/<title>Run 2: Failed, [\d.]+ s<\/title>/)
      expect(page).toContain('2 of 3 passed')
    }
  })

  it('leave out those of another pipeline of the same name that the caller may not view', async () => {
    const shut = { group: 'shut', authorization: GUARDED }
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        { ...shut, pipelines: [asked('app')] },
        { group: 'open', pipelines: [asked('x')] },
      ],
    })
    await builtOnce(scene)
    await scene.configure({
      server: SECURED,
      groups: [{ group: 'open', pipelines: [asked('app'), asked('x')] }],
    })

    expect(await pageOf(scene.service, '/pipelines')).toContain('Last 1 run')
    expect(await pageOf(scene.service, '/pipelines', 'pete')).not.toContain('Last 1 run')
  })
})

describe('the value stream of a pipeline', () => {
  it('links what it is built from and what it starts, and maps what is further away', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        {
          group: 'shop',
          pipelines: [
            { name: 'lib' },
            { name: 'web', materials: [onto('lib')] },
            { name: 'deploy', materials: [onto('web')] },
          ],
        },
        {
          group: 'shut',
          authorization: GUARDED,
          pipelines: [{ name: 'secret', materials: [onto('web')] }],
        },
      ],
    })

    const admin = await pageOf(scene.service, '/pipelines/web')
    const pete = await pageOf(scene.service, '/pipelines/web', 'pete')
    const end = await pageOf(scene.service, '/pipelines/deploy')

    expect(admin).toMatch(/Built from <\/span><a href="\/pipelines\/lib">lib<\/a>/)
    expect(admin).toMatch(
      /Starts <\/span><a href="\/pipelines\/deploy">deploy<\/a>, <a[^>]*>secret/,
    )
    expect(admin).toContain('<title>lib: not run yet</title>')
    expect(pete).toContain('deploy')
    expect(pete).not.toContain('secret')
    expect(end).toContain('<title>lib: not run yet</title>')
  })

  it('leads from the revision of an upstream pipeline to its run', async () => {
    const scene = await BuildScene.open({
      pipelines: [
        { name: 'lib', stages: [{ name: 'build' }] },
        { name: 'web', stages: [{ approval: MANUAL }], materials: [onto('lib')] },
      ],
    })
    await scene.schedule('lib')
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work())
    await scene.schedule('web')

    const page = await pageOf(scene.service, '/pipelines/web')

    expect(page).toMatch(/<a href="\/stages\/lib\/build\/1\/1"><code[^>]*>lib\/1\/build\/1</)
    expect(page).not.toContain('<b title="')
    expect(await pageOf(scene.service, '/pipelines')).not.toContain('lib/1/build/1</code> (')
  })
})
