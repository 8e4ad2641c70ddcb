import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { element, git } from '../../support/documents/a-configuration.ts'
import { BuildScene, GUARDED, SECURED } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { until } from '../../support/programs/until.ts'

const MANUAL = element('approval', { type: 'manual' })
const MINUTE_MS = 60_000

function consoleOf(run: number): string {
  return `/files/app/${run}/build/1/unit/cruise-output/console.log`
}

describe('a problem on its page has what it is solved with', () => {
  it('a material that cannot be read is polled again', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        {
          group: 'guarded',
          authorization: GUARDED,
          pipelines: [{ name: 'app', stages: [{ approval: MANUAL }] }],
        },
      ],
    })
    renameSync(scene.origin, `${scene.origin}.away`)
    await scene.post('/api/pipelines/app/schedule')
    const page = await pageOf(scene.service, '/problems')
    const [, path = ''] = /action="(\/problems\/materials\/\w+)"/.exec(page) ?? []
    expect(page).toContain('<button aria-label="Try again for app">')
    expect(page).toMatch(/The git material cannot be read<span class="muted">: git: /)

    const away = await sendForm(scene.service, path, {})
    const viewer = await sendForm(scene.service, path, {}, 'vera')
    renameSync(`${scene.origin}.away`, scene.origin)
    const back = await sendForm(scene.service, path, {}, 'olga')

    expect(await pageOf(scene.service, away.headers.get('location') ?? '')).toContain(
      'The material still cannot be read.',
    )
    expect(viewer.status).toBe(403)
    expect(await pageOf(scene.service, '/problems', 'vera')).not.toContain('Try again')
    const done = await pageOf(scene.service, back.headers.get('location') ?? '', 'olga')
    expect(done).toContain('The material can be read again.')
    expect(await pageOf(scene.service, '/problems')).not.toContain('unreadable material')
  })

  it('a job without an agent leads to the agents, with the resource to give', async () => {
    let ahead = 0
    const stages = [{ name: 'build', jobs: [{ name: 'unit', resources: ['docker', 'gpu'] }] }]
    const clock = () => Date.now() + ahead
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages }] }, [], clock)
    await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    ahead += 2 * MINUTE_MS

    const page = await pageOf(scene.service, '/problems')

    expect(page).toContain(
      '<a class="button" href="/agents?resources=docker%2C+gpu">Give an agent docker, gpu',
    )
    expect(page).not.toContain('Enable an agent')
    const agents = await pageOf(scene.service, '/agents?resources=docker%2C+gpu')
    expect(agents).toMatch(/<details[^>]* open=""[^>]*>.*name="resources" value="docker, gpu"/s)
  })

  it('a job whose agent is disabled leads to that agent, and gives nobody its resources', async () => {
    let ahead = 0
    const clock = () => Date.now() + ahead
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] }, [], clock)
    await ProtocolAgent.join(scene.service, 'a1')
    await scene.post('/api/agents/a1/disable')
    await scene.schedule()
    ahead += 2 * MINUTE_MS

    const page = await pageOf(scene.service, '/problems')

    expect(page).toContain('the one agent that could take it')
    expect(page).toContain('href="/agents?q=status%3Adisabled">Enable an agent')
  })

  it.each([
    ['a pipeline in none', ['a1'], []],
    ['a pipeline in one without agents', [], ['app']],
  ])('an environment that keeps agents apart is to be edited: %s', async (_, agents, pipelines) => {
    let ahead = 0
    const clock = () => Date.now() + ahead
    const scene = await BuildScene.open({ pipelines: [] }, [], clock)
    await ProtocolAgent.join(scene.service, 'a1', { resources: ['gpu'] })
    await ProtocolAgent.join(scene.service, 'a2')
    const jobs = [{ name: 'unit', resources: ['gpu'] }]
    await scene.configure({
      pipelines: [{ name: 'app', stages: [{ name: 'build', jobs }] }],
      environments: [{ name: 'production', agents, pipelines }],
      agents: [{ uuid: 'a1', resources: ['gpu'] }, { uuid: 'a2' }],
    })
    await scene.schedule()
    ahead += 2 * MINUTE_MS

    const page = await pageOf(scene.service, '/problems')

    expect(page).toContain('href="/config/edit/environment/production">Edit environment production')
    expect(page).not.toContain('Give an agent')
  })

  it('is none, whoever asks', async () => {
    const scene = await BuildScene.open({ server: SECURED, pipelines: [] })

    const [admin, viewer] = [
      await pageOf(scene.service, '/problems'),
      await pageOf(scene.service, '/problems', 'vera'),
    ]

    expect(admin).toContain('No open problems.')
    expect(viewer).toContain('No open problems with the pipelines that you can view.')
  })

  it('a job without any agent leads to the agents', async () => {
    let ahead = 0
    const clock = () => Date.now() + ahead
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] }, [], clock)
    await scene.schedule()
    ahead += 2 * MINUTE_MS

    const page = await pageOf(scene.service, '/problems')

    expect(page).toContain('<a class="button" href="/agents">Show the agents')
    expect(page).not.toContain('Enable an agent')
  })

  it('parts that nobody acts on are named in one place', async () => {
    const tool = element('trackingtool', { link: 'http://t/${ID}', regex: '(x)' })
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', before: [tool] }] })

    const page = await pageOf(scene.service, '/problems')

    expect(page).toContain('>Unsupported parts in the configuration</h2>')
    expect(page).toContain('The tracking tool: comments of changes are shown without links')
  })

  it('a file on disk that is not valid leads to its line', async () => {
    const scene = await BuildScene.open({ pipelines: [] }, ['--poll-interval', '50ms'])
    writeFileSync(join(scene.service.folder, 'config-repo', 'config.xml'), '<cruise>\n<secret-word')
    const page = () => pageOf(scene.service, '/problems')
    await until(async () => (await page()).includes('is not valid'))

    expect(await page()).toMatch(/href="\/config\/live">Open line \d+</)
  })

  it('a part of many pipelines that nobody acts on is one problem, said once with all of them', async () => {
    const before = [element('mingle', { baseUrl: 'https://example.org', projectIdentifier: 'x' })]
    const pipelines = ['one', 'two', 'three'].map((name) => ({ name, before }))
    const scene = await BuildScene.open({ pipelines })

    const page = await pageOf(scene.service, '/problems')

    expect(page).toContain('1 open problem.')
    expect(page.match(/The project of Mingle/g)).toHaveLength(1)
    expect(page).toMatch(/Pipelines .*\/one.*\/two.*\/three/s)
    expect(await pageOf(scene.service, '/config')).toContain('>1 problem<')
  })

  it('room is made by removing the files of the oldest runs, by administrators', async () => {
    const server = { server: SECURED, pipelines: [{ name: 'app' }] }
    const scene = await BuildScene.open(server, ['--material-interval', '1h'])
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    for (const words of ['first', 'second']) {
      await scene.schedule()
      const job = await agent.work()
      await agent.append(job.jobId, 0, `${words}\n`)
      await agent.finish(job)
    }

    const viewer = await sendForm(scene.service, '/problems/room', { bytes: '1' }, 'vera')
    const done = await sendForm(scene.service, '/problems/room', { bytes: '1073741824' })
    const again = await sendForm(scene.service, '/problems/room', { bytes: '1073741824' })

    expect(viewer.status).toBe(403)
    expect(await pageOf(scene.service, done.headers.get('location') ?? '')).toContain(
      'Removed 6.0 B of old consoles and artifacts.',
    )
    expect(await pageOf(scene.service, again.headers.get('location') ?? '')).toContain(
      'Nothing was removed',
    )
    expect((await scene.get(consoleOf(1))).status).toBe(404)
    expect(await (await scene.get(consoleOf(2))).text()).toContain('second')
    expect(await pageOf(scene.service, '/audit')).toContain('Removed old artifacts')
  })

  it('a material of others is not polled by name', async () => {
    const authorization = element('authorization', {}, [
      element('view', {}, [element('user', {}, ['vera'])]),
    ])
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        { group: 'g', authorization, pipelines: [{ name: 'lost', materials: [git('/nowhere')] }] },
      ],
    })
    await scene.post('/api/pipelines/lost/schedule')
    const [, path = ''] =
      /action="(\/problems\/materials\/\w+)"/.exec(await pageOf(scene.service, '/problems')) ?? []

    expect(path).not.toBe('')
    expect((await sendForm(scene.service, path, {}, 'pete')).status).toBe(403)
  })
})
