// @module-tag long
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { saveRevisions } from '../support/service/saved-revisions.ts'
import { ADMIN_PASSWORD, openService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const PIPELINES = 1_000
const LISTED = 300

/** One group of many pipelines, which many may view, and vera last. */
function manyPipelines(): string {
  const names = Array.from({ length: PIPELINES }, (_, n) => `p${n}`)
  const others = Array.from({ length: LISTED }, (_, n) => `<user>someone-${n}</user>`).join('')
  const security =
    '<server artifactsdir="artifacts" serverId="one"><security><passwordFile path="/u" /><admins><user>admin</user></admins></security></server>'
  const view = `<authorization><view>${others}<user>vera</user></view></authorization>`
  return documentWith(...names)
    .replaceAll('.git" />', '.git" autoUpdate="false" />')
    .replace(/<pipelines /, (pipelines) => `${security}${pipelines}`)
    .replace(/<pipelines [^>]*>/, (group) => `${group}${view}`)
}

function userLine(name: string, password: string): string {
  return `${name}:{SHA}${createHash('sha1').update(password).digest('base64')}\n`
}

function usersIn(folder: string): string {
  const file = join(folder, 'users')
  writeFileSync(file, userLine('admin', ADMIN_PASSWORD) + userLine('vera', 'vera'), { mode: 0o600 })
  return file
}

/** The least time of the processor that some work took, in microseconds. */
async function leastTime(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 4; n += 1) {
    const before = process.cpuUsage()
    await work()
    times.push(process.cpuUsage(before).user)
  }
  return Math.min(...times)
}

it.each(['/pipelines', '/api/pipelines', '/search?q=p19'])(
  'what a viewer of thousands of pipelines gets at %s costs about what it costs an administrator',
  async (path) => {
    const folder = tempDir()
    const service = await openService(['--users-file', usersIn(folder)], folder)
    await saveRevisions(service, manyPipelines())
    const page = async (as?: string) => {
      const response = await service.fetch(path, as === undefined ? {} : { as })
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('p19'),
      ])
    }
    await expect
      .poll(async () => (await service.fetch('/config/entity/pipeline/p19')).status)
      .toBe(200)

    const administrator = await leastTime(() => page())
    const viewer = await leastTime(() => page('vera:vera'))

    expect(viewer / administrator).toBeLessThan(3)
  },
)
