// @module-tag long
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  aConfiguration,
  element,
  git as gitMaterial,
} from '../support/documents/a-configuration.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { git, gitLine } from '../support/git/git.ts'
import { start } from '../support/programs/start.ts'
import { until } from '../support/programs/until.ts'
import { gitOrigin } from '../support/builds/source-origins.ts'
import { save } from '../support/service/saving.ts'
import { ADMIN_PASSWORD, callerOf } from '../support/service/service.ts'

const KEY = 'a key'

it('a service and an agent that a hook of git has started use their own repositories', async () => {
  const folder = tempDir()
  const [origin, mirror, other] = [`${folder}/origin`, `${folder}/mirror`, `${folder}/other`]
  gitOrigin(origin)
  for (const bare of [mirror, other]) git(folder, 'init', '-q', '--bare', bare)
  const objects = `${other}/objects`
  const env = {
    GIT_DIR: other,
    GIT_COMMON_DIR: other,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_QUARANTINE_PATH: objects,
    GIT_WORK_TREE: folder,
    GIT_CONFIG_PARAMETERS: "'core.bare=true'",
  }
  const flags = ['--port', '0', '--admin-password', ADMIN_PASSWORD, '--auto-register-key', KEY]
  const places = ['--local-materials', folder, '--mirror', mirror]
  const serve = ['serve', ...flags, ...places, '--material-interval', '60ms']
  const url = await start(serve, { cwd: folder, env }).line(/^cairn ready (\S+)\n$/)
  const service = { fetch: callerOf(url) }
  const agent = ['agent', '--server', url, '--work-dir', `${folder}/agent`]
  start([...agent, '--auto-register-key', KEY], { cwd: folder, env })
  const materials = [gitMaterial(origin, { branch: 'trunk' })]
  const tasks = [element('exec', { command: 'git', args: 'log -1 --format=at-%H' })]
  const stages = [{ name: 'build', jobs: [{ name: 'unit', tasks }] }]
  const document = aConfiguration({ pipelines: [{ name: 'app', materials, stages }] })
  await save(service, document)

  const console = async () => {
    const answer = await service.fetch('/files/app/1/build/1/unit/cruise-output/console.log')
    return answer.text()
  }
  await until(async () => /Job completed/.test(await console()))

  expect(await console()).toContain(`at-${gitLine(origin, 'rev-parse', 'HEAD')}`)
  const newest = gitLine(join(folder, 'config-repo'), 'rev-parse', 'HEAD')
  await until(() => git(mirror, 'log', '--all', '--format=%H').includes(newest))
  expect(gitLine(other, 'count-objects')).toBe('0 objects, 0 kilobytes')
})
