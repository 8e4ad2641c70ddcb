// @module-tag long
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Program } from '../support/programs/program.ts'
import { run, start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const SERVE = ['serve', '--port', '0', '--admin-password', 'a password']
const LOCKS = ['state/lock', 'config-repo/.git/cairn/lock']

async function serve(cwd: string): Promise<Program> {
  const program = start(SERVE, { cwd })
  await program.line(/^cairn ready (\S+)\n$/)
  return program
}

/** As the process number 1 of another container wrote it. */
function renameHolder(file: string, host: string): void {
  const name: unknown = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(Object.assign({}, name, { host, pid: 1, startTime: '1' })))
}

describe('two servers on one folder', () => {
  it('do not run at once, also when the first cannot be found by its name', async () => {
    const cwd = tempDir()
    const first = await serve(cwd)
    const named = (await run(SERVE, { cwd })).stderr

    for (const lock of LOCKS) rmSync(join(cwd, lock))
    const second = await run(SERVE, { cwd })
    const withOtherState = await run([...SERVE, '--state-dir', join(tempDir(), 's')], { cwd })

    expect(named).toContain(`in use by process ${first.process.pid}`)
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another') })
    expect(withOtherState.stderr).toMatch(/\.git\/cairn is in use by another process/)
  })

  it('run one after the other, although the killed one had another host name', async () => {
    const cwd = tempDir()
    const first = await serve(cwd)
    first.process.kill('SIGKILL')
    await first.ended()
    for (const lock of LOCKS) renameHolder(join(cwd, lock), 'container-1')

    const second = await serve(cwd)
    second.process.kill('SIGTERM')
    const { stderr } = await second.ended()

    for (const lock of LOCKS) {
      const message = `${lock} was left by process 1 on container-1 since `
      expect(stderr).toContain(message)
      expect(existsSync(join(cwd, lock))).toBe(false)
      expect(existsSync(join(cwd, `${lock}.system`))).toBe(false)
    }
  })
})
