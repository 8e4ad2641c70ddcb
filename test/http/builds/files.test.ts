import { describe, expect, it } from 'vitest'
import { agentPaths } from '../../../src/wire/agent/paths.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { GUARDED, jsonOf, SECURED } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { JOB, LOCATOR, sceneWithFiles } from '../../support/builds/scene-with-files.ts'

/** A stage whose job fetches a folder of the one before. */
const FETCHING = {
  name: 'next',
  jobs: [{ tasks: [element('fetchartifact', { stage: 'build', job: 'unit', srcdir: 'dist' })] }],
}

describe('the files of a job', () => {
  it('are served as they were uploaded', async () => {
    const { scene } = await sceneWithFiles()

    const response = await scene.get(`/files/${JOB}/dist/app.txt`)

    expect(response.status).toBe(200)
    expect(await response.text()).toBe('the app')
    expect(response.headers.get('content-length')).toBe('7')
  })

  it('get an origin of their own, so that a built page cannot act for its reader', async () => {
    const { scene } = await sceneWithFiles()

    const response = await scene.get(`/files/${JOB}/report.html`)

    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox(?!.*same-origin)/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('are not sent again to who has them', async () => {
    const { scene } = await sceneWithFiles()
    const etag = (await scene.get(`/files/${JOB}/dist/app.txt`)).headers.get('etag') ?? ''

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const headers = { 'if-none-match': known }
      const response = await scene.service.fetch(`/files/${JOB}/dist/app.txt`, { headers })
      expect([known, response.status, await response.text()]).toEqual([known, 304, ''])
    }
    const headers = { 'if-none-match': '"other"' }
    const changed = await scene.service.fetch(`/files/${JOB}/dist/app.txt`, { headers })
    expect(changed.status).toBe(200)
  })

  it('answer HEAD without the bytes', async () => {
    const { scene } = await sceneWithFiles()

    const response = await scene.service.fetch(`/files/${JOB}/dist/app.txt`, { method: 'HEAD' })

    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe('7')
  })

  it('are listed at the address of the job, also with .json after it', async () => {
    const { scene } = await sceneWithFiles()

    for (const path of [`/files/${JOB}`, `/files/${JOB}.json`, `/files/${JOB}/`]) {
      expect(await jsonOf(await scene.get(path))).toEqual([
        { type: 'folder', name: 'cruise-output', url: `/files/${JOB}/cruise-output` },
        { type: 'folder', name: 'dist', url: `/files/${JOB}/dist` },
        { type: 'file', name: 'report.html', url: `/files/${JOB}/report.html`, size: 11 },
      ])
    }
  })

  it('are listed below a folder, with addresses that work', async () => {
    const { scene } = await sceneWithFiles()

    const listed = await jsonOf(await scene.get(`/files/${JOB}/dist.json`))

    const url = `/files/${JOB}/dist/app.txt`
    expect(listed).toEqual([{ type: 'file', name: 'app.txt', url, size: 7 }])
    expect(await (await scene.get(url)).text()).toBe('the app')
  })

  it('are replaced by a later upload', async () => {
    const { scene, agent, job } = await sceneWithFiles()

    expect((await agent.upload(job.jobId, 'dist/app.txt', 'a newer app')).status).toBe(201)

    expect(await (await scene.get(`/files/${JOB}/dist/app.txt`)).text()).toBe('a newer app')
  })

  it('stay with a job that was carried over into a later run', async () => {
    const { scene, agent, job } = await sceneWithFiles({
      pipelines: [{ name: 'app', stages: [{ jobs: [{ name: 'unit' }, { name: 'other' }] }] }],
    })
    await agent.finish(job)
    await agent.finish(await agent.work(), 'Failed')

    await scene.post(
      '/api/stages/app/build/run/1',
      undefined,
      new URLSearchParams({ jobs: 'other' }),
    )

    const response = await scene.get('/files/app/1/build/2/unit/dist/app.txt')
    expect(await response.text()).toBe('the app')
  })

  it('are listed for and sent to the agent whose job fetches them, and to no other', async () => {
    const { scene, agent, job } = await sceneWithFiles({
      pipelines: [{ name: 'app', stages: [{}, FETCHING] }],
    })
    const idle = await ProtocolAgent.join(scene.service, 'a3')
    await agent.finish(job)
    const fetching = await agent.work()
    expect(fetching.stageName).toBe('next')

    expect(await agent.list(LOCATOR, 'dist')).toEqual([{ path: 'dist/app.txt', size: 7 }])
    const read = await agent.call('GET', `/files/${JOB}/dist/app.txt`)
    expect(await read.text()).toBe('the app')

    const others = [
      'report.html',
      'dist.zip',
      'dist2',
      'cruise-output/console.log',
      'dist/../x',
      '',
    ]
    for (const path of others) {
      expect([path, (await agent.call('GET', `/files/${JOB}/${path}`)).status]).toEqual([path, 403])
    }
    const own = '/files/app/1/next/1/unit/dist'
    expect((await agent.call('GET', own)).status).toBe(403)
    const listing = agentPaths.listArtifacts('a3', LOCATOR, 'dist')
    expect((await idle.call('GET', listing)).status).toBe(403)
    expect((await idle.call('GET', `/files/${JOB}/dist/app.txt`)).status).toBe(403)
    const again = (await scene.restart()).agentLike(agent)
    expect(await again.list(LOCATOR, 'dist')).toHaveLength(1)
    await again.finish(fetching)
    expect((await again.call('GET', `/files/${JOB}/dist/app.txt`)).status).toBe(403)
  })

  it('are not for an agent that waits for approval, and for no wrong token', async () => {
    const { scene } = await sceneWithFiles()

    const pending = new ProtocolAgent(scene.service, 'a2')
    await pending.register(null)
    for (const token of ['', 'wrong', pending.token]) {
      const headers = { authorization: `Bearer ${token}` }
      const path = `/files/${JOB}/dist/app.txt`
      const response = await scene.service.fetch(path, { as: null, headers })
      expect(response.status).toBe(401)
    }
  })

  it('are shown to who may view the pipeline', async () => {
    const { scene } = await sceneWithFiles({
      server: SECURED,
      groups: [{ group: 'g', authorization: GUARDED, pipelines: [{ name: 'app' }] }],
    })
    const path = `/files/${JOB}/dist/app.txt`

    expect((await scene.get(path, 'vera')).status).toBe(200)
    expect((await scene.get(path, 'olga')).status).toBe(403)
    expect((await scene.get(`/files/${JOB}`, 'pete')).status).toBe(403)
    expect((await scene.service.fetch(path, { as: null })).status).toBe(401)
  })

  it('are 404 where there are none', async () => {
    const { scene } = await sceneWithFiles()

    const paths = [
      `${JOB}/none.txt`,
      'app/9/build/1/unit/dist/app.txt',
      'app/1/build/1/other/dist/app.txt',
      'app/1/build/1/other',
    ]
    const found = await Promise.all(
      paths.map(async (path) => (await scene.get(`/files/${path}`)).status),
    )

    expect(found).toEqual(paths.map(() => 404))
  })
})

describe('an upload', () => {
  it('is refused when it is too large, and nothing of it stays', async () => {
    const { scene, agent, job } = await sceneWithFiles({}, ['--max-artifact', '1KiB'])

    expect((await agent.upload(job.jobId, 'big', 'x'.repeat(1_025))).status).toBe(413)
    expect((await agent.upload(job.jobId, 'fits', 'x'.repeat(1_024))).status).toBe(201)

    expect(await (await scene.get(`/files/${JOB}`)).text()).not.toContain('big')
  })

  it('is refused for an unknown kind', async () => {
    const { agent, job } = await sceneWithFiles()

    expect((await agent.upload(job.jobId, 'a', 'x', 'other')).status).toBe(400)
  })

  it('keeps files of no bytes', async () => {
    const { scene, agent, job } = await sceneWithFiles()

    expect((await agent.upload(job.jobId, 'empty.txt', '')).status).toBe(201)

    const response = await scene.get(`/files/${JOB}/empty.txt`)
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})
