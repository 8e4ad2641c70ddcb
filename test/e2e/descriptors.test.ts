// @module-tag long
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { BuildScene } from '../support/builds/build-service.ts'
import { untilPolledAgain } from '../support/builds/materials.ts'
import type { Program, ProgramOptions } from '../support/programs/program.ts'
import { statusOf } from '../support/service/saved-digest.ts'
import { save } from '../support/service/saving.ts'
import { ADMIN_PASSWORD, callerOf } from '../support/service/service.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'

const READY = /^cairn ready (\S+)\n$/
const FLAGS = ['--port', '0', '--material-interval', '60ms', '--local-materials', '.']
const FLOOD = 400

interface Served {
  readonly program: Program
  readonly scene: BuildScene
}

/** A server as a process of its own, which polls a git material all the time. */
async function serve(options: ProgramOptions = {}): Promise<Served> {
  const folder = tempDir()
  const env = { HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_TRACE: join(folder, 'git-trace') }
  const args = ['serve', ...FLAGS, '--admin-password', ADMIN_PASSWORD]
  const program = start(args, { cwd: folder, env, ...options })
  const url = await program.line(READY)
  const scene = BuildScene.over({ url, folder, fetch: callerOf(url), close: async () => {} })
  await scene.configure({})
  await untilPolledAgain(folder, scene.origin)
  return { program, scene }
}

async function expectAlive({ program, scene }: Served): Promise<void> {
  await expect.poll(async () => (await scene.get('/health').catch(() => null))?.status).toBe(200)
  await untilPolledAgain(scene.service.folder, scene.origin)
  expect(await statusOf(scene.service, '/api/admin/config.xml')).toBe(200)
  expect(program.process.exitCode).toBe(null)
}

async function openMany(url: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: FLOOD }, () => connect(Number(port), hostname))
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  for (const socket of sockets) socket.on('error', () => socket.destroy())
  await Promise.all(sockets.map((socket) => Promise.race([opened(socket), once(socket, 'close')])))
  return sockets
}

async function opened(socket: Socket): Promise<void> {
  if (socket.connecting) await new Promise((resolve) => socket.once('connect', resolve))
}

describe('a service with few file descriptors', { tags: ['util-linux'], timeout: 60_000 }, () => {
  it('refuses connections, and goes on polling and answering', async () => {
    const served = await serve({ files: 256 })
    const { url, folder } = served.scene.service
    const kept = await fetch(`${url}/health`)

    const sockets = await openMany(url)
    await until(() => sockets.some((socket) => socket.closed))
    await untilPolledAgain(folder, served.scene.origin)
    const open = sockets.filter((socket) => !socket.closed).length
    for (const socket of sockets) socket.destroy()

    expect(kept.status).toBe(200)
    expect(open).toBeGreaterThan(64)
    expect(open).toBeLessThan(192)
    expect(served.program.stderr).toContain('further ones are refused')
    await expectAlive(served)
  })

  it('survives programs that cannot be started, and starts them again', async () => {
    const served = await serve()
    const { pid = 0 } = served.program.process
    const limit = (files: number) =>
      spawnSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]).status

    // A look may meet a program that is running, whose pipes are free later.
    let used = Infinity
    await until(() => {
      used = Math.min(used, readdirSync(`/proc/${pid}/fd`).length)
      expect(limit(used)).toBe(0)
      return served.program.stderr.includes('too many files open')
    })
    limit(1_024)

    await expectAlive(served)
    expect((await save(served.scene.service, documentWith('after'))).status).toBe(200)
  })
})
