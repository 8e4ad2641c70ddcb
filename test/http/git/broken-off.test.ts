// @module-tag long

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import nodeFs from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { listIncoming, removeAbandoned } from '../../../src/history/upkeep/abandoned-objects.ts'
import { renderPktLine } from '../../../src/history/push/pkt-line.ts'
import { fsErrorCode } from '../../../src/storage/fs-error.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { repositoryUrl, runGit } from '../../support/git/git-client.ts'
import { git, PLAIN_GIT } from '../../support/git/git.ts'
import { StandingGit } from '../../support/git/standing-git.ts'
import { save } from '../../support/service/saving.ts'
import { ADMIN_PASSWORD, startService, type TestService } from '../../support/service/service.ts'
import { TcpProxy } from '../../support/programs/tcp-proxy.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

/** More than the buffers between a server and a client that reads no more. */
const LARGE = 24 * 2 ** 20
const STALL_AFTER = 2 ** 20
/** More clients than are served at once. */
const MANY = 20
const TWO_HOURS_MS = 7_200_000
const SOON = { timeout: 30_000 }
const REFS = '/git/config.git/info/refs'

/** A repository with a large file beside the configuration, put there with git. */
async function largeService(bytes: number): Promise<TestService> {
  const service = await startService()
  writeFileSync(join(service.repository, 'large'), randomBytes(bytes))
  git(service.repository, 'add', 'large')
  git(service.repository, '-c', 'core.compression=0', 'commit', '--quiet', '-m', 'Something large')
  return service
}

/** The processes that are at work in the repository. */
function atWork({ repository }: TestService): { pid: number; command: string }[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return processes.flatMap((pid) => {
    try {
      if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(repository)) return []
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      return [{ pid: Number(pid), command }]
    } catch (error) {
      if (['ENOENT', 'ESRCH', 'EACCES'].includes(fsErrorCode(error) ?? '')) return []
      throw error
    }
  })
}

/** Clones until the answer stands still, then kills the client with all that it has started. */
async function cloneAndDie(service: TestService): Promise<string[]> {
  await using proxy = await TcpProxy.open(service.url, { stallsAfter: STALL_AFTER })
  const child = spawn(
    'git',
    ['clone', '-q', proxy.through(repositoryUrl(service.url)), tempDir()],
    {
      env: PLAIN_GIT,
      stdio: 'ignore',
      detached: true,
    },
  )
  const ended = once(child, 'close')
  await until(() => proxy.isStalled)
  const seen = atWork(service).map(({ command }) => command)
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  await ended
  return seen
}

function askForEverything(service: TestService, signal: AbortSignal): Promise<Response> {
  const commit = git(service.repository, 'rev-parse', 'HEAD').trim()
  return service.fetch('/git/config.git/git-upload-pack', {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
    body: `0032want ${commit}\n00000009done\n`,
    signal,
  })
}

/** Begins to send a pack, which git waits for from then on. */
async function beginPush({ url, repository }: TestService): Promise<ClientRequest> {
  const head = git(repository, 'rev-parse', 'HEAD').trim()
  const command = `${head} ${'1'.repeat(40)} refs/heads/main\0report-status`
  const push = request(`${url}/git/config.git/git-receive-pack`, {
    method: 'POST',
    auth: `admin:${ADMIN_PASSWORD}`,
    headers: { 'content-type': 'application/x-git-receive-pack-request' },
  })
  push.on('error', () => undefined)
  push.write(`${renderPktLine(command)}0000PACK\0\0\0\x02\0\0\0\x03`)
  await once(push, 'response')
  return push
}

describe('a client of git that goes away', () => {
  it('takes the processes along that worked for its clone', async () => {
    const service = await largeService(LARGE)

    const seen = await cloneAndDie(service)

    expect(seen.join('\n')).toMatch(/upload-pack/)
    await until(() => atWork(service).length === 0)
    const { code } = await runGit(tempDir(), ['clone', '-q', repositoryUrl(service.url), '.'])
    expect(code).toBe(0)
    expect(service.logged.filter(({ level }) => level !== 'info')).toEqual([])
  })

  it('leaves its place to others, whenever it goes', async () => {
    const service = await largeService(STALL_AFTER)

    for (let n = 0; n < MANY; n += 1) {
      const gone = new AbortController()
      const asked = askForEverything(service, gone.signal)
      if (n % 2 === 0) await (await asked).body?.getReader().read()
      gone.abort()
      await asked.catch(() => undefined)
    }

    await until(() => atWork(service).length === 0)
    const { code } = await runGit(tempDir(), ['ls-remote', repositoryUrl(service.url)])
    expect(code).toBe(0)
  })

  it('leaves its place to others where git stands still, and heeds no SIGTERM', async () => {
    vi.stubEnv('PATH', new StandingGit('upload-pack').path)
    const service = await startService()
    vi.unstubAllEnvs()
    await using proxy = await TcpProxy.open(service.url)
    const headers = { authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` }
    const read = () =>
      fetch(proxy.through(`${service.url}${REFS}?service=git-upload-pack`), { headers })
    const statusOfPush = async () =>
      (await service.fetch(`${REFS}?service=git-receive-pack`)).status
    const readers = Array.from({ length: MANY }, () => read().catch(() => null))
    await until(async () => (await statusOfPush()) === 503)

    proxy.reset()
    await Promise.all(readers)

    await expect.poll(statusOfPush, SOON).toBe(200)
  })
})

describe('a git that is killed while it takes a push', () => {
  it('leaves what maintenance knows and removes, and the service goes on', async () => {
    const service = await startService()
    const store = { fs: nodeFs, gitDir: join(service.repository, '.git') }
    const push = await beginPush(service)
    await until(async () => (await listIncoming(store)).length > 0)

    for (const { pid } of atWork(service)) process.kill(pid, 'SIGKILL')
    await until(() => atWork(service).length === 0)
    push.destroy()
    const left = await listIncoming(store)
    await removeAbandoned(store, Date.now())
    const young = await listIncoming(store)
    await removeAbandoned(store, Date.now() + TWO_HOURS_MS)

    expect([left.length, young.length]).toEqual([1, 1])
    expect(await listIncoming(store)).toEqual([])
    expect((await save(service, documentWith('after'))).status).toBe(200)
  })
})
