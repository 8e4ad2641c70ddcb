// @module-tag long

import { describe, expect, it } from 'vitest'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, SECURED } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'

const user = (name: string) => element('user', {}, [name])
const AUTHORIZATION = element('authorization', {}, [
  element('view', {}, [user('vera')]),
  element('admins', {}, [user('gina')]),
])
/** Hundreds of pages are read once, by a reader beside the service: nothing is won by compressing them. */
const PLAIN = { 'accept-encoding': 'identity' }
/** Stages that do not start by themselves, so that every job that ran has a console. */
const stages = [{ approval: element('approval', { type: 'manual' }) }]
const APP = { name: 'app', variables: { A: '1' }, stages }
const OTHER = {
  group: 'shut',
  authorization: element('authorization', {}, [element('view', {}, [user('ben')])]),
  pipelines: [{ name: 'unseen', stages }],
}

function configure(app: object) {
  const seen = { group: 'seen', authorization: AUTHORIZATION, pipelines: [app] }
  return { server: SECURED, groups: [seen, OTHER] }
}

/** A service with runs, changes between them, a renamed pipeline, and agents that ran jobs of two groups. */
async function livedIn(flags: readonly string[]): Promise<BuildScene> {
  const scene = await BuildScene.open(configure({ ...APP, name: 'old' }), flags)
  await build(scene, ['old', 'unseen'])
  await scene.configure(configure(APP))
  await build(scene, ['app'])
  await scene.configure(configure({ ...APP, variables: { A: '2' } }))
  const agent = await build(scene, ['app'])
  await scene.schedule('unseen')
  await agent.work()
  return scene
}

/** The agent is not in the configuration that a scene writes, so it joins again. */
async function build(scene: BuildScene, pipelines: readonly string[]): Promise<ProtocolAgent> {
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  for (const pipeline of pipelines) {
    await scene.schedule(pipeline)
    const job = await agent.work()
    await agent.append(job.jobId, 0, 'made\n')
    await agent.finish(job)
  }
  return agent
}

/** Of the pages that differ only in commits, digests, numbers and how they are viewed, this many are read. */
const MAX_ALIKE = 20

function shapeOf(path: string): string {
  const [page = ''] = path.split('?')
  return page.replaceAll(/[0-9a-f]{32,}|\d+/g, '0')
}

/**
 * Follows the links of every kind of page that can be reached, or of the first pages alone, and returns the
 * answers.
 */
async function walk(
  scene: BuildScene,
  as: string | null,
  starts: readonly string[],
  { isShort = false } = {},
) {
  const { origin } = new URL(scene.service.url)
  const call = (path: string) =>
    scene.service.fetch(path, {
      headers: PLAIN,
      ...(as === 'admin' ? {} : { as: as === null ? null : `${as}:${as}` }),
    })
  const base = new URL(scene.service.url).pathname.replace(/\/$/, '')
  const found = new Map<string, { status: number; from: string }>()
  const queue = starts.map((path) => ({ path, from: 'the start' }))
  const alike = new Map<string, number>()
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { path, from } = next
    const known = alike.get(shapeOf(path)) ?? 0
    if (found.has(path) || known === MAX_ALIKE) continue
    alike.set(shapeOf(path), known + 1)
    const response = await call(path)
    found.set(path, { status: response.status, from })
    if (!response.headers.get('content-type')?.includes('text/html')) continue
    if (isShort && !starts.includes(path)) continue
    const html = await response.text()
    for (const [, href = ''] of html.matchAll(/<a\b[^>]*?href="([^"#]+)[^"]*"/g)) {
      const url = new URL(href.replaceAll('&amp;', '&'), `${origin}${base}${path}`)
      if (url.origin !== origin || url.pathname.endsWith('/log-out')) continue
      queue.push({ path: `${url.pathname}${url.search}`.slice(base.length) || '/', from: path })
    }
  }
  return found
}

function refusedOf(found: Awaited<ReturnType<typeof walk>>): string[] {
  return Array.from(found)
    .filter(([, { status }]) => status >= 400)
    .map(([path, { status, from }]) => `${status} ${path} on ${from}`)
}

describe('the links of every page', { timeout: 120_000 }, () => {
  it.each([
    ['a viewer', 'vera', []],
    ['the administrator of a group', 'gina', ['--base-path', '/go']],
    ['somebody who may view nothing', 'pete', []],
  ])('lead %s to pages that may be seen', async (_, as, flags) => {
    const scene = await livedIn(flags)

    const found = await walk(scene, as, ['/', '/pipelines', '/agents', '/api'])

    expect(refusedOf(found)).toEqual([])
    expect(found.size).toBeGreaterThan(5)
    expect([...found.keys()].join('\n')).not.toContain('unseen')
  })

  it('lead an administrator from the pages of a revision to pages that are there', async () => {
    const scene = await livedIn([])
    const pages = ['r3', 'current', 'r3?blame=1', 'compare/r2/r3', 'entity/pipeline/app', 'r3/undo']

    const starts = pages.map((page) => `/config/${page}`)
    const found = await walk(scene, 'admin', starts, { isShort: true })

    expect(refusedOf(found)).toEqual([])
    expect(found.size).toBeGreaterThan(30)
  })

  it('lead nobody without credentials anywhere but to the way in', async () => {
    const scene = await livedIn([])

    const found = await walk(scene, null, ['/log-out'])

    expect([...found.keys()]).toEqual(['/log-out', '/'])
  })
})
