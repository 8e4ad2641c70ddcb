import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { AGENT_PATTERNS, agentPaths } from '../../../src/wire/agent/paths.ts'

const job = { uuid: 'a-1', jobId: 7 }
const locator = {
  pipelineName: 'p.q',
  pipelineCounter: 3,
  stageName: 'test',
  stageCounter: '1',
  jobName: 'unit',
}

const app = new Hono()
for (const [name, pattern] of Object.entries(AGENT_PATTERNS)) {
  app.all(pattern, (c) => c.json({ name, params: c.req.param(), query: c.req.query() }))
}

async function routed(path: string): Promise<unknown> {
  const answer: unknown = await (await app.request(path)).json()
  return answer
}

describe('the paths of the agents’ protocol', () => {
  it.each([
    ['register', agentPaths.register(), {}],
    ['contact', agentPaths.contact('a-1'), { uuid: 'a-1' }],
    ['work', agentPaths.work('a-1'), { uuid: 'a-1' }],
    ['report', agentPaths.report(job), { uuid: 'a-1', job: '7' }],
    ['console', agentPaths.console(job, 12), { uuid: 'a-1', job: '7' }],
  ])('reach the route of %s', async (name, path, params) => {
    expect(await routed(path)).toMatchObject({ name, params })
  })

  it('carry the path of an artifact whatever characters it has', async () => {
    const path = 'reports/50% done?/#1 ü.html'

    expect(await routed(agentPaths.artifact(job, 'test', path))).toMatchObject({
      name: 'artifact',
      params: { path },
      query: { kind: 'test' },
    })
  })

  it('name the job whose artifacts are listed', async () => {
    expect(await routed(agentPaths.listArtifacts('a-1', locator, 'out/x y'))).toMatchObject({
      name: 'listArtifacts',
      query: { job: 'p.q/3/test/1/unit', path: 'out/x y' },
    })
  })

  it('escape the segments of a file', () => {
    expect(agentPaths.file(locator, 'a b/c.txt')).toBe('/files/p.q/3/test/1/unit/a%20b/c.txt')
  })
})
