// @module-tag long
import { describe, expect, it } from 'vitest'
import { BuildScene } from '../support/builds/build-service.ts'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'

/** Reads of what may change, once the stage `build` of the pipeline `app` has begun. */
const READS = [
  '/api/admin/rules.yaml',
  '/api/agent-invitations',
  '/api/agents',
  '/api/agents/a0/job_run_history',
  '/api/audit',
  '/api/config/blame/current',
  '/api/config/changes/current',
  '/api/config/rules-schema.json',
  '/api/config/will-not-run',
  '/api/permissions?user=admin',
  '/api/pipelines',
  '/api/pipelines/app/history',
  '/api/pipelines/app/instance/1',
  '/api/proposals',
  '/api/stages/app/build/history',
  '/api/stages/app/build/history/0',
  '/api/stages/app/build/instance/1/1',
  '/api/tokens',
  '/api/users',
  '/api/whoami',
  '/config/feed.atom',
  '/config/feed.json',
]
const PAGES = ['/agents', '/agents/a0', '/pipelines', '/pipelines/app', '/stages/app/build']
const AGENTS = 8

/** A pipeline that runs, and more agents than fit into a small answer. */
async function openScene(): Promise<BuildScene> {
  const scene = await BuildScene.open()
  for (let at = 0; at < AGENTS; at += 1) await ProtocolAgent.join(scene.service, `a${at}`)
  await scene.service.fetch('/api/admin/rules.yaml', {
    method: 'PUT',
    headers: { 'if-none-match': '*' },
    body: 'version: 1\nrules: []\n',
  })
  await scene.schedule()
  return scene
}

function sizeOf({ headers }: Response): number {
  return Number(headers.get('content-length'))
}

function toldOf({ headers }: Response): (string | null)[] {
  return ['etag', 'content-type', 'cache-control', 'vary'].map((name) => headers.get(name))
}

describe('the answer to a read of what may change', () => {
  it('has an ETag and need not be sent again to who knows it', async () => {
    const scene = await openScene()
    for (const path of READS) {
      const first = await scene.get(path)
      const etag = first.headers.get('etag') ?? ''
      const headers = { 'if-none-match': etag }
      const again = await scene.service.fetch(path, { headers })

      expect([path, first.status, first.headers.get('cache-control')]).toEqual([
        path,
        200,
        'private, no-cache',
      ])
      expect([path, etag]).toEqual([path, expect.stringMatching(/^"(?:[0-9a-f]{32}){1,2}"$/)])
      expect([path, again.status, await again.text()]).toEqual([path, 304, ''])
    }
  })

  it('is new when what it says has changed', async () => {
    const scene = await openScene()
    const path = '/api/stages/app/build/instance/1/1'
    const etag = (await scene.get(path)).headers.get('etag') ?? ''
    await scene.post('/api/stages/app/build/cancel')

    const changed = await scene.service.fetch(path, { headers: { 'if-none-match': etag } })

    expect(changed.status).toBe(200)
    expect(await changed.json()).toMatchObject({ result: 'Cancelled' })
  })

  it('is compressed for who takes it', async () => {
    const scene = await openScene()
    for (const path of ['/api/agents', ...PAGES]) {
      const ask = (encoding: string) =>
        scene.service.fetch(path, { headers: { 'accept-encoding': encoding } })
      const askBoth = async () => {
        const [plain, packed] = [await ask('identity'), await ask('gzip')]
        return { plain, packed, texts: [await plain.text(), await packed.text()] }
      }
      const { plain, packed } = await askBoth()

      expect([path, plain.status, packed.status]).toEqual([path, 200, 200])
      expect([path, plain.headers.get('content-encoding')]).toEqual([path, null])
      expect([path, packed.headers.get('content-encoding')]).toEqual([path, 'gzip'])
      expect(packed.headers.get('vary')).toContain('accept-encoding')
      expect(sizeOf(packed)).toBeLessThan(sizeOf(plain) / 2)
      // What a page says may change between two looks, such as for how long a job has waited.
      await expect
        .poll(async () => new Set((await askBoth()).texts.map((text) => text.length)).size)
        .toBe(1)
    }
  })

  it('has the same headers when only those are asked for', async () => {
    const scene = await openScene()
    for (const path of READS) {
      const head = await scene.service.fetch(path, { method: 'HEAD' })
      expect([path, ...toldOf(head)]).toEqual([path, ...toldOf(await scene.get(path))])
      expect(await head.text()).toBe('')
    }
  })
})
