// @module-tag long
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { saveRevisions } from '../support/service/saved-revisions.ts'
import { ADMIN_PASSWORD, openService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const PIPELINES = 1_000
const LISTED = 300

/** One group of many pipelines, which many may view, and vera last. */
function manyPipelines(count = PIPELINES): string {
  const names = Array.from({ length: count }, (_, n) => `p${n}`)
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

type Work = () => Promise<unknown>

/** The least of what was measured several times: other programs may have made the others larger. */
async function leastOf(work: Work, measure: (work: Work) => Promise<number>): Promise<number> {
  const found: number[] = []
  for (let n = 0; n < 4; n += 1) found.push(await measure(work))
  return Math.min(...found)
}

/** The time of the processor that some work takes, in microseconds. */
async function timeOf(work: Work): Promise<number> {
  const before = process.cpuUsage()
  await work()
  // The sum is exact; the system divides it by samples, so that little work may be all the other kind.
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** The most of it between two turns of the event loop: so long do others wait for theirs. */
async function longestTurnOf(work: Work): Promise<number> {
  const working = { isDone: false }
  const watch = async () => {
    let longest = 0
    while (!working.isDone) longest = Math.max(longest, await timeOf(nextTurn))
    return longest
  }
  const watching = watch()
  await work()
  working.isDone = true
  return watching
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

    const administrator = await leastOf(() => page(), timeOf)
    const viewer = await leastOf(() => page('vera:vera'), timeOf)

    expect(viewer / administrator).toBeLessThan(3)
  },
)

it.each(['admin', 'vera'])(
  'no card of the page of thousands of pipelines adds to how long others wait for %s',
  async (user) => {
    const folder = tempDir()
    const service = await openService(['--users-file', usersIn(folder)], folder)
    await saveRevisions(service, manyPipelines(5_000))
    const as = user === 'admin' ? `admin:${ADMIN_PASSWORD}` : 'vera:vera'
    const page = async (query: string, cards: number) => {
      const response = await service.fetch(`/pipelines${query}`, { as })
      expect((await response.text()).match(/<li class="pipeline">/g)).toHaveLength(cards)
    }
    // From then on the cards say what changed their pipelines.
    await expect
      .poll(async () => (await service.fetch('/pipelines?q=p4999', { as })).text())
      .toContain('Changed in r2')

    const one = await leastOf(() => page('?q=p4999', 1), longestTurnOf)
    const fifty = await leastOf(() => page('', 50), longestTurnOf)

    expect(fifty / one).toBeLessThan(3)
  },
)
