import { describe, expect, it } from 'vitest'
import { jsonOf } from '../../support/builds/build-service.ts'
import { JOB, sceneWithFiles } from '../../support/builds/scene-with-files.ts'

/** Names that a file system of an agent has, and addresses, patterns and terminals have a meaning for. */
const NAMES = [
  String.raw`a\b.txt`,
  String.raw`..\..\c.txt`,
  'two\nlines',
  'tab\there\u001B[31m',
  'C:',
  '100%25 ?#&+;=,@!.txt',
  'é ü 漢字 🎉.txt',
  ' blank ends ',
  '...',
  'x'.repeat(255),
]

describe('the name of an artifact', () => {
  it.each(NAMES)('may be %j', async (name) => {
    const { scene, agent, job } = await sceneWithFiles()
    const address = `/files/${JOB}/o/${encodeURIComponent(name)}`

    expect((await agent.upload(job.jobId, `o/${name}`, 'bytes')).status).toBe(201)

    expect(await (await scene.get(address)).text()).toBe('bytes')
    expect(await jsonOf(await scene.get(`/files/${JOB}/o.json`))).toEqual([
      { type: 'file', name, size: 5, url: address },
    ])
    expect((await scene.get(`/files/${JOB}/o.zip`)).status).toBe(200)
    expect((await scene.get(`/stages/app/build/1/1/unit`)).status).toBe(200)
  })

  it('is refused, and not tried again, where the disk of the server takes no such path', async () => {
    const { agent, job } = await sceneWithFiles()

    for (const path of ['漢'.repeat(86), `${'long/'.repeat(810)}x`]) {
      expect((await agent.upload(job.jobId, path, 'bytes')).status).toBe(400)
    }
  })
})
