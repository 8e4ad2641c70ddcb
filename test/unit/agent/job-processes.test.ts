// @module-tag long

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { markOf } from '../../../src/processes/process-mark.ts'
import { findProcesses } from '../../../src/agent/process/end-processes.ts'
import { type CommandLine, JobProcesses } from '../../../src/agent/process/job-processes.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' }

/** A job's processes with what they wrote. */
class Job implements AsyncDisposable {
  readonly mark = markOf({
    uuid: 'u',
    folder: '/f',
    instance: `${process.pid}-${Math.random()}`,
  })
  readonly processes = new JobProcesses({ mark: this.mark, graceMs: 300 })
  output = ''

  sh(script: string, more: { timeoutMs?: number; input?: string } = {}) {
    return this.run('sh', ['-c', script], more)
  }

  run(command: string, args: string[], more: Partial<CommandLine> = {}) {
    const line = { command, args, cwd: '/', environment, ...more }
    return this.processes.run(line, async (_, chunk) => {
      this.output += chunk.toString()
    })
  }

  /** The job's live processes. */
  alive(): number[] {
    const isMarked = (text: string): boolean => text.includes(this.mark.instance)
    return findProcesses({ isMarked, groups: new Set() }).pids
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.processes.end()
  }
}

describe('a command of a job', () => {
  it('answers its exit code and what it wrote', async () => {
    await using job = new Job()

    expect(await job.sh('echo out; echo err >&2; exit 3')).toEqual({ exitCode: 3, reason: null })
    expect(job.output.split('\n').toSorted()).toEqual(['', 'err', 'out'])
  })

  it('reads what it is given', async () => {
    await using job = new Job()

    await job.run('cat', [], { input: 'secret\n' })

    expect(job.output).toBe('secret\n')
  })

  it('ends when the file that it is given cannot be read', async () => {
    await using job = new Job()

    const end = await job.run('cat', [], { input: { file: '/no/such/file' } })

    expect(end).toEqual({ exitCode: 143, reason: 'it was ended by SIGTERM' })
  })

  it('that cannot be started has exit code 127 and a reason', async () => {
    await using job = new Job()

    const end = await job.run('/no/such/command', [])

    expect(end).toEqual({ exitCode: 127, reason: expect.stringContaining('no such program') })
  })

  it('loses none of a lot of output, however slowly it is taken', async () => {
    await using job = new Job()
    let size = 0

    const line = { command: 'sh', args: ['-c', 'yes | head -c 3000000'], cwd: '/', environment }
    await job.processes.run(line, async (_, chunk) => {
      await new Promise((resolve) => setImmediate(resolve))
      size += chunk.length
    })

    expect(size).toBe(3_000_000)
  })

  it(
    'ends although something it left behind holds its output open and chatters',
    { timeout: 15_000, tags: ['long'] },
    async () => {
      await using job = new Job()

      const end = await job.sh('(while :; do echo x; sleep 0.05; done) & echo done')

      expect(end.exitCode).toBe(0)
      expect(job.output).toContain('done')
      expect(job.alive()).not.toEqual([])
    },
  )

  it(
    'that runs into its timeout is ended with its processes, the others live',
    { tags: ['util-linux'] },
    async () => {
      await using job = new Job()
      await job.sh('sleep 300 >/dev/null 2>&1 &')
      const before = job.alive()

      const end = await job.sh('setsid sleep 300 & sleep 300', { timeoutMs: 200 })

      expect(end).toEqual({ exitCode: 143, reason: expect.stringContaining('timeout') })
      expect(before).toHaveLength(1)
      expect(job.alive()).toEqual(before)
    },
  )

  it('is not started once the job has ended', async () => {
    await using job = new Job()
    await job.processes.end()

    expect(await job.sh('echo late')).toMatchObject({ exitCode: 143 })
    expect(job.output).toBe('')
  })
})

describe('the end of a job’s processes', () => {
  it.each([
    ['a child', 'sleep 300'],
    ['children of children', 'sh -c "sh -c \\"sleep 300; :\\"; :"; :'],
    ['what left the process group', 'setsid sh -c "sleep 300; :" & sleep 300'],
    ['a daemon', '(setsid sh -c "sleep 300 & sleep 300" >/dev/null 2>&1 </dev/null &) ; sleep 300'],
    ['what ignores the signal', 'trap "" TERM; while :; do sleep 0.05; done'],
    ['what has an empty environment', 'env -i setsid sleep 300 & env -i sleep 300 & sleep 300'],
    ['a hundred of them', 'for i in $(seq 100); do setsid sleep 300 & done; sleep 300'],
    ['what forks all the time', 'f() { sleep 0.02; f & }; f; f; sleep 300'],
    ['what is another process all the time', 'f() { sleep 0.01; f & }; f; sleep 300'],
  ])('reaches %s', { tags: ['util-linux'] }, async (_, script) => {
    using folder = new TempFolder()
    await using job = new Job()
    const running = job.sh(`echo $$ >${folder.file('pid')}; ${script}`)
    await until(() => job.alive().length > 1 || script === 'sleep 300')
    const file = folder.file('pid')
    await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '')
    const seen = job.alive()

    expect(await job.processes.end()).toBe(0)

    expect((await running).exitCode).toBeGreaterThan(128)
    expect(job.alive()).toEqual([])
    expect(seen.filter((pid) => isAlive(pid))).toEqual([])
  })
})

function isAlive(pid: number): boolean {
  return findProcesses({ isMarked: () => true, groups: new Set() }).pids.includes(pid)
}
