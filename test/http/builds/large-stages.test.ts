import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DatabaseSync } from '../../../src/storage/sqlite-engine.ts'
import { element } from '../../support/documents/a-configuration.ts'
import type { BuildScene } from '../../support/builds/build-service.ts'
import { sceneWithAgent } from '../../support/builds/scene-with-agent.ts'

const CONSOLE = '/files/app/1/build/1/one/cruise-output/console.log'

/** A stage that begins by hand: a start by its materials could come before that of another pipeline. */
const approval = element('approval', { type: 'manual' })

/** Two pipelines, one of them with a stage of two jobs; each has a run. */
async function sceneOfTwoJobs() {
  const opened = await sceneWithAgent({
    pipelines: [
      { name: 'app', stages: [{ approval, jobs: [{ name: 'one' }, { name: 'two' }] }] },
      { name: 'lib', stages: [{ approval }] },
    ],
  })
  await opened.scene.schedule('app')
  await opened.scene.schedule('lib')
  return opened
}

/** Damages what is stored of the job `two`, so that whatever reads it fails. */
function damageOther(scene: BuildScene): void {
  damage(scene, `kind = 'job' AND json LIKE '%"name":"two"%'`)
}

function damage({ service }: BuildScene, documents: string): void {
  const state = new DatabaseSync(join(service.folder, 'state', 'state.sqlite'))
  state.exec(`UPDATE document SET json = '{}' WHERE ${documents}`)
  state.close()
}

describe('of a stage of which no other job is read, however many it has,', () => {
  it('a job is given and reported', async () => {
    const { scene, agent } = await sceneOfTwoJobs()
    damageOther(scene)

    const job = await agent.work()
    await agent.finish(job)

    expect(job.jobName).toBe('one')
    expect((await agent.upload(job.jobId, 'late.txt', 'late')).status).toBe(410)
  })

  it('the console and the files of a job are read, once its name was looked up', async () => {
    const { scene, agent } = await sceneOfTwoJobs()
    const job = await agent.work()
    await agent.append(job.jobId, 0, '12:00:00.000 first\n')
    await agent.upload(job.jobId, 'app.txt', 'the app')
    await scene.get(CONSOLE)
    damageOther(scene)

    const part = await scene.get(`${CONSOLE}?startLineNumber=0`)
    const file = await scene.get('/files/app/1/build/1/ONE/app.txt')
    const page = await scene.get('/stages/app/build/1/1/one/console?startLineNumber=0')

    expect(await part.text()).toContain('first')
    expect(await file.text()).toBe('the app')
    expect(page.status).toBe(200)
  })

  it('another stage is cancelled, and the change of another pipeline planned', async () => {
    const { scene } = await sceneOfTwoJobs()
    damageOther(scene)

    const cancelled = await scene.post('/api/stages/lib/build/cancel')

    expect(await cancelled.text()).toContain('cancelled')
    expect((await scene.history('lib/build')).stages[0]?.result).toBe('Cancelled')
    const document = await (await scene.get('/api/admin/config.xml')).text()
    const changed = document.replace(/(<pipeline name="lib")/, '$1 labeltemplate="v${COUNT}"')
    const planned = await scene.post('/api/config/plan', undefined, changed)
    expect(await planned.text()).toContain('"pipelines":["lib"]')
  })
})

it('a cancel reads no stage of another pipeline, however many are in progress', async () => {
  const { scene } = await sceneOfTwoJobs()
  damage(scene, `kind = 'stage' AND json LIKE '%"pipelineName":"app"%'`)

  await scene.post('/api/stages/lib/build/cancel')

  expect((await scene.history('lib/build')).stages[0]?.result).toBe('Cancelled')
})

it('pages of many runs read no job of a stage in progress, and those of an ended one once', async () => {
  const { scene, agent } = await sceneOfTwoJobs()
  for (let n = 0; n < 3; n += 1) await agent.finish(await agent.work())
  await scene.schedule('app')
  const pages = ['/pipelines', '/pipelines/app', '/api/pipelines']
  for (const page of pages) await scene.get(page)
  damage(scene, `kind = 'job'`)

  const answers = await Promise.all(pages.map((page) => scene.get(page)))

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await answers[0]?.text()).toContain('waiting for an agent</a>')
})

it('the pages of a run and of a job read the first jobs alone', async () => {
  const { scene } = await sceneWithAgent({
    pipelines: [
      { name: 'app', stages: [{ jobs: [{ name: 'j', attributes: { runInstanceCount: 303 } }] }] },
    ],
  })
  await scene.schedule('app')
  await scene.get('/stages/app/build/1/1/j-runInstance-1')
  damage(scene, `kind = 'job' AND json LIKE '%"name":"j-runInstance-302"%'`)

  const page = await (await scene.get('/stages/app/build/1/1')).text()
  const ofJob = await (await scene.get('/stages/app/build/1/1/j-runInstance-1')).text()
  const asked = await (await scene.get('/stages/app/build/1/1?ask=cancel')).text()

  expect(page).toContain('and 3 more jobs')
  expect(page).toContain('waiting for an agent')
  expect(ofJob).toContain('>303 jobs<')
  expect(asked).toContain('The 303 running jobs will be stopped')
})
