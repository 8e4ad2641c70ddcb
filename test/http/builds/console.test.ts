import { describe, expect, it } from 'vitest'
import { JOB, sceneWithFiles } from '../../support/builds/scene-with-files.ts'

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
