// @module-tag long
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BuildScene } from '../support/builds/build-service.ts'
import { StuckGit } from '../support/git/stuck-git.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import type { Program } from '../support/programs/program.ts'
import { start } from '../support/programs/start.ts'
import { until } from '../support/programs/until.ts'
import { ADMIN_PASSWORD, callerOf } from '../support/service/service.ts'

/** Memory that it has in use from its start on. */
const LARGE = '--import "data:text/javascript,globalThis.kept = Buffer.alloc(3e8, 1)"'

/** A large service, while a client of version control looks at its material and does not end. */
async function largeAndStuck() {
  const folder = tempDir()
  const stuck = new StuckGit('ls-remote')
  const places = ['--config-repo', `${folder}/config-repo`, '--state-dir', `${folder}/state`]
  const flags = ['--port', '0', '--admin-password', ADMIN_PASSWORD, '--material-interval', '60ms']
  const env = { PATH: stuck.path, NODE_OPTIONS: LARGE }
  const args = ['serve', ...places, ...flags, '--local-materials', folder]
  const program = start(args, { cwd: folder, env })
  const url = await program.line(/^cairn ready (\S+)\n$/)
  const scene = BuildScene.over({ url, folder, fetch: callerOf(url), close: async () => {} })
  await scene.configure({})
  await until(() => stuck.isStuck)
  return { program, stuck, scene }
}

function parentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
}

/** The process that has started what is stuck, which is neither the service nor stuck itself. */
function starterOf(stuck: StuckGit, program: Program): number {
  const running = stuck.running()
  const others = running.map(parentOf).filter((pid) => !running.includes(pid))
  const [starter = 0] = others.filter((pid) => parentOf(pid) === program.process.pid)
  return starter
}

describe('a service that is large', { tags: ['util-linux'] }, () => {
  it('has a small process start the clients that look at its materials', async () => {
    const { program, stuck } = await largeAndStuck()

    const small = /^VmRSS:\s+(\d+) kB$/m.exec(
      readFileSync(`/proc/${starterOf(stuck, program)}/status`, 'utf8'),
    )
    expect(Number(small?.[1])).toBeLessThan(100_000)
  })

  it('leaves nothing of them when it is killed', async () => {
    const { program, stuck } = await largeAndStuck()

    program.process.kill('SIGKILL')
    await program.ended()

    await until(() => stuck.running().length === 0)
    expect(stuck.running()).toEqual([])
  })

  it('leaves nothing of them when it stops', async () => {
    const { program, stuck } = await largeAndStuck()

    program.process.kill('SIGTERM')

    expect(await program.ended()).toMatchObject({ code: 0 })
    await until(() => stuck.running().length === 0)
    expect(stuck.running()).toEqual([])
  })

  it('starts another such process where that one is killed, and leaves nothing of what it ran', async () => {
    const { program, stuck, scene } = await largeAndStuck()
    const [starter, before] = [starterOf(stuck, program), stuck.running()]

    process.kill(starter, 'SIGKILL')

    await until(() => stuck.running().every((pid) => !before.includes(pid)) && stuck.isStuck)
    expect(starterOf(stuck, program)).not.toBe(starter)
    const health = await (await scene.service.fetch('/health')).text()
    expect(health).toContain('the process that runs it has ended')
  })
})
