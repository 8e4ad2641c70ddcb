import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BuildScene, GUARDED, jsonOf, SECURED } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { readZip } from '../../support/programs/zip-reader.ts'

const JOB = '/files/app/1/build/1/unit'

async function open(...given: Parameters<typeof BuildScene.open>) {
  const scene = await BuildScene.open(...given)
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  await scene.schedule()
  const { jobId } = await agent.work()
  await agent.append(jobId, 0, 'console\n')
  for (const path of ['dist/app.txt', 'dist/deep/ümlaut & space', 'dist/empty', 'real.zip']) {
    await agent.upload(jobId, path, path === 'dist/empty' ? '' : `what is in ${path}`)
  }
  const part = (range: string, more: Record<string, string> = {}) =>
    scene.service.fetch(`${JOB}/dist/app.txt`, { headers: { range, ...more } })
  return {
    scene,
    part,
    folder: join(scene.service.folder, 'state', 'artifacts', 'app/1/build/1/unit'),
  }
}

async function zipAt(scene: BuildScene, path: string): Promise<Record<string, string>> {
  const response = await scene.get(path)
  expect(response.headers.get('content-type')).toBe('application/zip')
  return readZip(Buffer.from(await response.arrayBuffer()))
}

describe('the zip of a folder', () => {
  it('has all that is in it, with the name of the folder', async () => {
    const { scene } = await open()

    expect(await zipAt(scene, `${JOB}/dist.zip`)).toEqual({
      'dist/app.txt': 'what is in dist/app.txt',
      'dist/deep/ümlaut & space': 'what is in dist/deep/ümlaut & space',
      'dist/empty': '',
    })
    expect(Object.keys(await zipAt(scene, `${JOB}/dist/deep.zip`))).toEqual(['deep/ümlaut & space'])
    expect(Object.keys(await zipAt(scene, `${JOB}.zip`))).toContain(
      'unit/cruise-output/console.log',
    )
  })

  it('leaves out links, is saved under its name, and gives way to a file of that name', async () => {
    const { scene, folder } = await open()
    mkdirSync(join(folder, 'links'))
    symlinkSync('/etc/passwd', join(folder, 'links', 'out'))
    symlinkSync('/etc', join(folder, 'dist', 'etc'))

    const head = await scene.service.fetch(`${JOB}/dist.zip`, { method: 'HEAD' })

    expect(head.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''dist.zip")
    expect(Object.keys(await zipAt(scene, `${JOB}/dist.zip`))).toHaveLength(3)
    expect((await scene.get(`${JOB}/links.zip`)).status).toBe(404)
    expect(await (await scene.get(`${JOB}/real.zip`)).text()).toBe('what is in real.zip')
  })

  it('is 404 where there is no such folder, and for those alone who may view the pipeline', async () => {
    const { scene } = await open({
      server: SECURED,
      groups: [{ authorization: GUARDED, pipelines: [{ name: 'app' }] }],
    })
    const statusOf = async (path: string, as?: string) => (await scene.get(path, as)).status

    expect(await statusOf(`${JOB}/none.zip`)).toBe(404)
    expect(await statusOf(`${JOB}/dist/app.txt.zip`)).toBe(404)
    expect(await statusOf(`${JOB}/..%2fdist.zip`)).toBe(400)
    expect(await statusOf(`${JOB}/dist.zip`, 'vera')).toBe(200)
    expect(await statusOf(`${JOB}/dist.zip`, 'olga')).toBe(403)
  })
})

describe('part of a file', () => {
  it.each([
    ['bytes=0-3', 'what', 'bytes 0-3/23'],
    ['bytes=8-', 'in dist/app.txt', 'bytes 8-22/23'],
    ['bytes=-7', 'app.txt', 'bytes 16-22/23'],
    ['bytes=20-999', 'txt', 'bytes 20-22/23'],
    ['bytes=-999', 'what is in dist/app.txt', 'bytes 0-22/23'],
  ])('is sent for %s', async (range, text, told) => {
    const { part } = await open()

    const response = await part(range)

    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(told)
    expect(response.headers.get('content-length')).toBe(`${text.length}`)
    expect(await response.text()).toBe(text)
  })

  it('is the whole for what is no range, for several, and when the file is another one by now', async () => {
    const { part } = await open()
    const asked = ['bytes=5-1', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-', 'bytes=a-b']

    const answers = await Promise.all([
      ...asked.map((range) => part(range)),
      part('bytes=0-3', { 'if-range': '"another"' }),
    ])

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    const etag = answers[0]?.headers.get('etag') ?? ''
    expect((await part('bytes=0-3', { 'if-range': etag })).status).toBe(206)
  })

  it.each(['bytes=23-', 'bytes=-0'])('is 416 beyond the end: %s', async (range) => {
    const { part } = await open()

    const response = await part(range)

    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe('bytes */23')
    expect(await jsonOf(response)).toEqual({ message: 'The file has 23 bytes' })
  })
})

/** The headers about the encoding of a file. */
const told = ({ headers }: Response) =>
  ['content-encoding', 'etag', 'accept-ranges', 'vary'].map((name) => headers.get(name))

describe.each(['gzip', 'br'])('a text for who takes %s', (encoding) => {
  const LINES = 'what a job has said\n'.repeat(500)

  async function openTexts() {
    const scene = await BuildScene.open()
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    const { jobId } = await agent.work()
    await agent.append(jobId, 0, LINES)
    for (const path of ['report.txt', 'photo.png']) await agent.upload(jobId, path, LINES)
    const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      scene.service.fetch(`${JOB}/${path}`, {
        method,
        headers: { 'accept-encoding': encoding, ...headers },
      })
    return { ask }
  }

  it('is packed while it is sent: a file, a console, and what follows a line of it', async () => {
    const { ask } = await openTexts()
    const console = 'cruise-output/console.log'

    for (const path of ['report.txt', console, `${console}?startLineNumber=1`]) {
      const [packed, plain] = await Promise.all([
        ask(path),
        ask(path, { 'accept-encoding': 'identity' }),
      ])

      expect([path, packed.headers.get('content-encoding')]).toEqual([path, encoding])
      expect([path, plain.headers.get('content-encoding')]).toEqual([path, null])
      expect(packed.headers.get('x-next-line')).toBe(plain.headers.get('x-next-line'))
      expect([packed, plain].map(({ headers }) => headers.get('vary'))).toEqual([
        'accept-encoding',
        'accept-encoding',
      ])
      const text = await plain.text()
      expect(plain.headers.get('content-length')).toBe(`${text.length}`)
      expect(LINES.endsWith(text)).toBe(true)
      expect(await packed.text()).toBe(text)
    }
  })

  it('is known by its tag, has the same headers when only those are asked for, and parts that are as they are', async () => {
    const { ask } = await openTexts()
    const packed = await ask('report.txt')
    const etag = packed.headers.get('etag') ?? ''

    const head = await ask('report.txt', {}, 'HEAD')
    const again = await ask('report.txt', { 'if-none-match': etag })
    const part = await ask('report.txt', { range: 'bytes=5-9' })
    const rest = await ask('report.txt', { range: 'bytes=5-9', 'if-range': etag })

    expect(told(packed)).toEqual([
      encoding,
      expect.stringMatching(/^W\//),
      'none',
      'accept-encoding',
    ])
    expect(told(head)).toEqual(told(packed))
    expect(again.status).toBe(304)
    expect([part.status, part.headers.get('content-encoding')]).toEqual([206, null])
    expect(await part.text()).toBe('a job')
    expect([rest.status, await rest.text()]).toEqual([200, LINES])
  })

  it('does not concern what packing makes no smaller', async () => {
    const { ask } = await openTexts()

    const photo = await ask('photo.png')

    expect(photo.headers.get('content-encoding')).toBeNull()
    expect(photo.headers.get('content-length')).toBe(`${LINES.length}`)
    expect(photo.headers.get('accept-ranges')).toBe('bytes')
  })
})
