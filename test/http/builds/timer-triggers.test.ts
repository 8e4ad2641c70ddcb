// @module-tag long
import { describe, expect, it } from 'vitest'
import { type AnElement, element } from '../../support/documents/a-configuration.ts'
import { open, commit, latest, pollsPass } from '../../support/builds/trigger-scene.ts'

const MANUAL = element('approval', { type: 'manual' })

const EACH_SECOND = '* * * * * ?'

function timer(cron: string, onlyOnChanges: boolean): AnElement {
  return element('timer', { onlyOnChanges }, [cron])
}

describe('a pipeline with a timer', () => {
  it('is started by its timer though nothing has changed', async () => {
    const { agent } = await open({
      pipelines: [
        {
          name: 'app',
          before: [timer(EACH_SECOND, false)],
          stages: [{ name: 'build', approval: MANUAL }],
        },
      ],
    })

    await agent.finish(await agent.work())

    expect(await agent.work()).toMatchObject({ pipelineCounter: 2, triggerUser: 'changes' })
  })

  it('is started by a timer for changes only when there are some', async () => {
    const { scene, agent } = await open({
      pipelines: [
        {
          name: 'app',
          before: [timer(EACH_SECOND, true)],
          stages: [{ name: 'build', approval: MANUAL }],
        },
      ],
    })
    await agent.finish(await agent.work())
    await pollsPass(scene)
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')

    const revision = commit(scene)

    expect(await agent.work()).toMatchObject({ materials: [{ revision }] })
  })
})
