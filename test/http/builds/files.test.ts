import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BuildScene, GUARDED, jsonOf, SECURED } from '../../support/build-service.ts'
import { ProtocolAgent } from '../../support/protocol-agent.ts'

const JOB = 'app/1/build/1/unit'
const LOCATOR = {
  pipelineName: 'app',
  pipelineCounter: 1,
  stageName: 'build',
  stageCounter: '1',
  jobName: 'unit',
}

/** A job on an agent, with a console and two artifacts. */
async function sceneWithFiles(...given: Parameters<typeof BuildScene.open>) {
  const scene = await BuildScene.open(...given)
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  await scene.schedule()
  const job = await agent.work()
  await agent.append(job.jobId, 0, 'one\ntwo\nthree\nhalf')
  await agent.upload(job.jobId, 'dist/app.txt', 'the app')
  await agent.upload(job.jobId, 'report.html', '<p>fine</p>')
  const folder = join(scene.service.folder, 'state', 'artifacts', JOB)
  return { scene, agent, job, folder }
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

    const response = await scene.service.fetch(`/files/${JOB}/dist/app.txt`, {
      headers: { 'if-none-match': etag },
    })

    expect(response.status).toBe(304)
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

  it('are listed for and sent to an agent that is at work, and to no other', async () => {
    const { scene, agent } = await sceneWithFiles()

    expect(await agent.list(LOCATOR, 'dist')).toEqual([{ path: 'dist/app.txt', size: 7 }])
    expect(await agent.list(LOCATOR, 'nothing')).toEqual([])
    const read = await agent.call('GET', `/files/${JOB}/dist/app.txt`)
    expect(await read.text()).toBe('the app')

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

describe('a console', () => {
  it('is served whole, and in whole lines from a line on', async () => {
    const { scene, agent, job } = await sceneWithFiles()
    const path = `/files/${JOB}/cruise-output/console.log`
    const from = async (line: number | string) => scene.get(`${path}?startLineNumber=${line}`)

    expect(await (await scene.get(path)).text()).toBe('one\ntwo\nthree\nhalf')
    const first = await from(1)
    expect(await first.text()).toBe('two\nthree\n')
    expect(first.headers.get('x-next-line')).toBe('3')
    expect(await (await from(3)).text()).toBe('')

    await agent.append(job.jobId, 18, ' and half\nlast')
    expect(await (await from(3)).text()).toBe('half and half\n')
    expect(await (await from(0)).text()).toBe('one\ntwo\nthree\nhalf and half\n')

    await agent.finish(job)
    const end = await from(4)
    expect(await end.text()).toBe('last')
    expect(end.headers.get('x-next-line')).toBe('5')
    expect(await (await from(5)).text()).toBe('')
    expect((await from('x')).status).toBe(400)
  })
})

/** Sends a request line as it stands: clients resolve dots before they send. */
function raw(scene: BuildScene, path: string): Promise<number> {
  const { hostname, port } = new URL(scene.service.url)
  const credentials = Buffer.from('vera:vera').toString('base64')
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Basic ${credentials}`,
    'Connection: close',
  ]
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    })
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => {
      if (answer.includes('SECRET')) reject(new Error(`${path} gave away a secret`))
      else resolve(Number(answer.split(' ')[1]))
    })
  })
}

describe('a path', () => {
  it('never leaves the folder of its job', async () => {
    const { scene, folder } = await sceneWithFiles()
    const outside = join(scene.service.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret'), 'SECRET')
    writeFileSync(join(scene.service.folder, 'state', 'artifacts', 'secret'), 'SECRET')
    symlinkSync(outside, join(folder, 'link'))
    symlinkSync(join(outside, 'secret'), join(folder, 'linked'))
    symlinkSync('loop', join(folder, 'loop'))

    const attacks = [
      '../secret',
      '../../../../../secret',
      '..%2f..%2f..%2f..%2f..%2fsecret',
      '%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret',
      '%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fsecret',
      '%252e%252e%252f%252e%252e%252fsecret',
      'dist/..%2f..%2f..%2f..%2f..%2f..%2fsecret',
      'dist/./../../../../../../secret',
      '..\\..\\..\\..\\..\\secret',
      '..%5c..%5c..%5c..%5c..%5csecret',
      '....//....//....//secret',
      '..;/..;/secret',
      '%c0%ae%c0%ae/%c0%ae%c0%ae/secret',
      '%uff0e%uff0e/secret',
      `%2f${encodeURIComponent(outside.slice(1))}%2fsecret`,
      `/${outside}/secret`,
      `file:%2f%2f${encodeURIComponent(outside)}%2fsecret`,
      'dist/app.txt%00.html',
      '%00',
      'link/secret',
      'link',
      'linked',
      'loop',
      `${'a/'.repeat(3_000)}b`,
      'x'.repeat(300),
    ]
    const jobs = ['..%2f..%2f..%2f..', '%2e%2e', '..%2f..%2f..%2fsecret']
    const paths = [
      ...attacks.map((attack) => `/files/${JOB}/${attack}`),
      ...jobs.map((job) => `/files/app/1/build/1/${job}/secret`),
    ]
    const answered: [string, number][] = []
    for (const path of paths) answered.push([path, await raw(scene, path)])

    expect(answered.filter(([, status]) => status !== 400 && status !== 404)).toEqual([])
  })

  it('of an upload never leaves it either', async () => {
    const { scene, agent, job, folder } = await sceneWithFiles()
    const outside = join(scene.service.folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(folder, 'link'))
    writeFileSync(join(folder, 'file'), 'in the way')

    const attacks = [
      '../up',
      '..',
      'a/../../up',
      '/up',
      'a//b',
      'a\\b',
      'a\0b',
      './a',
      'link/up',
      'file/up',
      'dist',
      'cruise-output/console.log',
    ]
    const kept: string[] = []
    for (const attack of attacks) {
      const path = encodeURIComponent(attack)
      const target = `/api/agents-protocol/a1/jobs/${job.jobId}/artifacts/${path}?kind=artifact`
      if ((await agent.call('PUT', target, 'x')).ok) kept.push(attack)
    }

    expect(kept).toEqual([])
    expect(await agent.list(LOCATOR, '')).toEqual([
      { path: 'cruise-output/console.log', size: 18 },
      { path: 'dist/app.txt', size: 7 },
      { path: 'file', size: 10 },
      { path: 'report.html', size: 11 },
    ])
  })
})

describe('an upload', () => {
  it('is refused when it is too large, and nothing of it stays', async () => {
    const { agent, job } = await sceneWithFiles({}, ['--max-artifact', '1KiB'])

    expect((await agent.upload(job.jobId, 'big', 'x'.repeat(1_025))).status).toBe(413)
    expect((await agent.upload(job.jobId, 'fits', 'x'.repeat(1_024))).status).toBe(201)

    expect((await agent.list(LOCATOR, '')).map(({ path }) => path)).not.toContain('big')
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
