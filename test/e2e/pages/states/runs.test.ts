// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../../../support/agents/protocol-agent.ts'
import { BuildScene, GUARDED, SECURED } from '../../../support/builds/build-service.ts'
import { element } from '../../../support/documents/a-configuration.ts'
import { useBrowser } from '../../../support/pages/browser.ts'
import { SLOW, walkOf } from '../../../support/pages/walk.ts'

/** Pipelines whose runs have ended in every way, are in progress, or cannot begin. */
async function sceneWithEveryOutcome() {
  const manual = element('approval', { type: 'manual' })
  const pipelineOf = (name: string, more = {}) => ({
    name,
    stages: [
      { name: 'build', approval: manual, jobs: [{ name: 'unit', ...more }] },
      { name: 'ship' },
    ],
  })
  const scene = await BuildScene.open({
    server: SECURED,
    groups: [
      {
        group: 'shop',
        authorization: GUARDED,
        pipelines: ['passed', 'failed', 'cancelled', 'building'].map((name) => pipelineOf(name)),
      },
      {
        group: 'others',
        pipelines: [pipelineOf('waiting', { resources: ['docker'] }), pipelineOf('paused')],
      },
    ],
  })
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  for (const result of ['Passed', 'Failed'] as const) {
    await scene.schedule(result.toLowerCase())
    const job = await agent.work()
    await agent.append(job.jobId, 0, `10:00:00.000 \u001b[31mred\u001b[0m\n${'x'.repeat(300)}\n`)
    await agent.upload(job.jobId, 'reports/unit/index.html', '<b>ok</b>')
    await agent.finish(job, result)
    if (result === 'Passed') await agent.finish(await agent.work())
  }
  const other = await ProtocolAgent.join(scene.service, 'a3')
  await scene.schedule('failed')
  await other.finish(await other.work(), 'Failed')
  await scene.schedule('cancelled')
  await agent.contact({ jobId: (await agent.work()).jobId })
  await scene.post('/api/stages/cancelled/build/cancel')
  await scene.schedule('building')
  const builder = await ProtocolAgent.join(scene.service, 'a2')
  const { jobId } = await builder.work()
  await builder.report(jobId, { state: 'Building' })
  await builder.append(jobId, 0, '10:00:00.000 started\n')
  await scene.schedule('waiting')
  await scene.post('/api/pipelines/paused/pause', 'admin', 'pauseCause=release+freeze')
  return scene
}

const chromium = useBrowser()

describe('the states of runs fit and are accessible', SLOW, () => {
  it('with runs in every state, for an administrator and for a viewer', async () => {
    const scene = await sceneWithEveryOutcome()
    const walk = await walkOf(chromium.browser, scene.service)

    await walk.through({
      'runs-pipelines': '/pipelines',
      'runs-pipelines-failed': '/pipelines?status=failed',
      'runs-passed': '/stages/passed/build',
      'job-passed': '/stages/passed/build/1/1/unit',
      'runs-failed': '/stages/failed/build/1/1',
      'job-failed': '/stages/failed/build/1/1/unit',
      'runs-compared': '/pipelines/failed/compare/1/2',
      'runs-cancelled': '/stages/cancelled/build/1/1',
      'job-cancelled': '/stages/cancelled/build/1/1/unit',
      'pipeline-failed': '/pipelines/failed',
      'pipeline-paused': '/pipelines/paused',
      'runs-building': '/stages/building/build/1/1',
      'job-building': '/stages/building/build/1/1/unit',
      'agent-building': '/agents/a2',
      'runs-waiting': '/stages/waiting/build/1/1',
      'job-waiting': '/stages/waiting/build/1/1/unit',
      'agent-idle': '/agents/a1',
      'agents-filtered': '/agents?q=status:idle',
      'entity-with-runs': '/config/entity/pipeline/failed',
    })
    const viewer = await walkOf(chromium.browser, scene.service, 'vera')
    await viewer.through({
      'viewer-pipelines': '/pipelines',
      'viewer-pipeline': '/pipelines/failed',
      'viewer-stage': '/stages/failed/build/1/1',
      'viewer-job': '/stages/failed/build/1/1/unit',
      'viewer-agents': '/agents',
      'viewer-search': '/search?q=failed',
    })
    await viewer.through({ 'viewer-refused': '/audit', 'viewer-no-history': '/config' }, 403)

    expect({ ...walk.wrong(), ...viewer.wrong() }).toEqual({})
  })
})
