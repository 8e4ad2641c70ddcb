import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PipelineBody, PipelineStatusBody } from '../../../src/wire/pipeline-body.ts'
import { jsonOf } from '../../support/builds/build-service.ts'
import { untilPolledAgain } from '../../support/builds/materials.ts'
import { FAST } from '../../support/builds/trigger-scene.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { aConfiguration, git as gitMaterial } from '../../support/documents/a-configuration.ts'
import { commitFile, git } from '../../support/git/git.ts'
import { startService, type TestService } from '../../support/service/service.ts'

function makeRepository(folder: string, name: string, content: string): string {
  mkdirSync(folder)
  git(folder, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(folder, name), content)
  commitFile(folder, { name, message: 'Begin' })
  return folder
}

/** A folder with the repository of two pipelines, which no service has seen, and what they build. */
function folderToAdopt() {
  const folder = tempDir()
  const origin = makeRepository(join(folder, 'origin'), 'hello.txt', 'hello\n')
  const materials = [gitMaterial(origin, { branch: 'main' })]
  const pipelines = ['app', 'other'].map((name) => ({ name, materials }))
  makeRepository(join(folder, 'config-repo'), 'config.xml', aConfiguration({ pipelines }))
  return { folder, origin }
}

async function statusOf(service: TestService, pipeline: string): Promise<PipelineStatusBody> {
  const answer = await service.fetch(`/api/pipelines/${pipeline}/status`)
  return PipelineStatusBody.parse(await jsonOf(answer))
}

async function startedIn(service: TestService): Promise<string[]> {
  const answer = await service.fetch('/api/pipelines')
  const pipelines = PipelineBody.array().parse(await jsonOf(answer))
  return pipelines.filter(({ latest }) => latest !== null).map(({ name }) => name)
}

function post(service: TestService, path: string): Promise<Response> {
  return service.fetch(path, { method: 'POST' })
}

it('a repository is adopted without a run, until somebody lets a pipeline go', async () => {
  const { folder, origin } = folderToAdopt()
  const service = await startService(['--start-paused', ...FAST], folder)

  await untilPolledAgain(folder, origin)

  expect(await startedIn(service)).toEqual([])
  const paused = { paused: true, pausedBy: 'Server', pausedCause: 'Started with --start-paused' }
  for (const name of ['app', 'other']) expect(await statusOf(service, name)).toMatchObject(paused)
  expect((await post(service, '/api/pipelines/app/schedule')).status).toBe(409)
  await post(service, '/api/pipelines/app/unpause')
  await expect.poll(() => startedIn(service)).toEqual(['app'])
})

it('a later start pauses nothing by itself, and with the flag what was let go, with the old reasons', async () => {
  const { folder } = folderToAdopt()
  const first = await startService(['--start-paused'], folder)
  await post(first, '/api/pipelines/app/unpause')
  await first.close()

  const plain = await startService([], folder)
  expect((await statusOf(plain, 'app')).paused).toBe(false)
  expect((await statusOf(plain, 'other')).paused).toBe(true)
  await post(plain, '/api/pipelines/other/unpause')
  const body = new URLSearchParams({ pauseCause: 'release' })
  await plain.fetch('/api/pipelines/other/pause', { method: 'POST', body })
  await plain.close()

  const again = await startService(['--start-paused'], folder)
  expect(await statusOf(again, 'app')).toMatchObject({ paused: true, pausedBy: 'Server' })
  expect(await statusOf(again, 'other')).toMatchObject({
    pausedBy: 'admin',
    pausedCause: 'release',
  })
})
