import { spawn } from 'node:child_process'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import type { LogEvent } from '../../../src/lib/log.ts'
import { identifyThisProcess, openProcessLock } from '../../../src/storage/process-lock.ts'
import { mayMount, SmallDisk } from '../../support/disk/small-disk.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { bundled } from '../../support/programs/bundle.ts'

const STARTER = new URL('../../support/disk/lock-starter.ts', import.meta.url)

class Starter implements AsyncDisposable {
  readonly #child
  readonly #lines

  constructor(file: string) {
    this.#child = spawn(process.execPath, [bundled(STARTER), file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next()
    return done ? 'ended' : value
  }

  go(): void {
    this.#child.stdin.write('go\n')
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}

async function aHolder(file: string): Promise<Starter> {
  const holder = new Starter(file)
  expect(await holder.line()).toBe('ready')
  holder.go()
  expect(await holder.line()).toBe('held')
  return holder
}

/** Writes into the file what its holder did not write there. */
async function rename(file: string, difference: object): Promise<void> {
  const name: unknown = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify(Object.assign({}, name, difference)))
}

describe('process lock', () => {
  it('is refused while this process holds it, naming the process, and free after dispose', async () => {
    using temp = new TempFolder()
    const lock = await openProcessLock(temp.file('lock'))

    await expect(openProcessLock(temp.file('lock'))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`process ${process.pid}`),
    })
    await lock[Symbol.asyncDispose]()

    expect(await readdir(temp.path)).toEqual([])
    await using again = await openProcessLock(temp.file('lock'))
    expect(again.file).toBe(temp.file('lock'))
  })

  it.each([
    ['a process that is gone', { pid: 2 ** 22 + 1 }],
    ['a process whose number was given away again', { startTime: '1' }],
    ['a process from before the machine was started', { bootId: 'another' }],
  ])('is taken over from %s', async (_, difference) => {
    using temp = new TempFolder()
    const dead = { ...(await identifyThisProcess()), ...difference }
    await writeFile(temp.file('lock'), JSON.stringify(dead))

    await using lock = await openProcessLock(temp.file('lock'))

    expect(JSON.parse(await readFile(lock.file, 'utf8'))).not.toMatchObject({ id: dead.id })
    expect(await readdir(temp.path)).toEqual(['lock', 'lock.system'])
  })

  it('is taken over when the power went while it was written', async () => {
    using temp = new TempFolder()
    await writeFile(temp.file('lock'), '{"pid":')

    await using lock = await openProcessLock(temp.file('lock'))

    expect(await readdir(temp.path)).toEqual(['lock', 'lock.system'])
    expect(lock.file).toBe(temp.file('lock'))
  })

  it('is taken over although a process died in the middle of taking it over', async () => {
    using temp = new TempFolder()
    const dead = { ...(await identifyThisProcess()), startTime: '1' }
    const claimant = { ...(await identifyThisProcess()), startTime: '2' }
    await writeFile(temp.file('lock'), JSON.stringify(dead))
    await writeFile(temp.file(`lock.${dead.id}`), JSON.stringify(claimant))

    await using lock = await openProcessLock(temp.file('lock'))

    expect(await readdir(temp.path)).toEqual(['lock', 'lock.system'])
    expect(lock.file).toBe(temp.file('lock'))
  })

  it('is left to a process of another host, which cannot be asked', async () => {
    using temp = new TempFolder()
    const other = { ...(await identifyThisProcess()), host: `not-${hostname()}` }
    await writeFile(temp.file('lock'), JSON.stringify(other))

    await expect(openProcessLock(temp.file('lock'))).rejects.toThrow(`not-${hostname()}`)
  })

  it.each([
    ['another host', { host: `not-${hostname()}` }],
    ['a process that runs', identifyThisProcess({ isSystemLocked: true })],
  ])('is free at once when its holder is killed, although it names %s', async (_, difference) => {
    using temp = new TempFolder()
    const holder = await aHolder(temp.file('lock'))
    await holder.kill()
    await rename(temp.file('lock'), await difference)
    const events: LogEvent[] = []

    await using lock = await openProcessLock(temp.file('lock'), (event) => events.push(event))

    expect(JSON.parse(await readFile(lock.file, 'utf8'))).toMatchObject({ host: hostname() })
    expect(events).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/was left by process \d+ on/) },
    ])
  })

  it(
    'is held while its holder runs, whatever becomes of the file with the name',
    { tags: ['long'] },
    async () => {
      using temp = new TempFolder()
      const file = temp.file('lock')
      await using _ = await aHolder(file)

      await rename(file, { startTime: '1' })
      await expect(openProcessLock(file)).rejects.toThrow(
        /in use by process \d+ on .* since \d{4}-/,
      )
      await rename(file, { host: `not-${hostname()}`, isSystemLocked: false })
      await expect(openProcessLock(file)).rejects.toThrow(`not-${hostname()}`)
      await rm(file)
      await expect(openProcessLock(file)).rejects.toThrow('in use by another process')
    },
  )

  it('says of a holder that the operating system knows who it is, and not to remove anything', async () => {
    using temp = new TempFolder()
    await using holder = await aHolder(temp.file('lock'))

    const refused = openProcessLock(temp.file('lock'))

    await expect(refused).rejects.toThrow(
      new RegExp(`in use by process ${holder.pid} on .*, which holds \\S+/lock$`),
    )
  })

  it('goes by the file with the name alone where nothing can be locked, and says so', async () => {
    using temp = new TempFolder()
    await mkdir(temp.file('lock.system'))
    const events: LogEvent[] = []

    await using lock = await openProcessLock(temp.file('lock'), (event) => events.push(event))

    expect(events).toMatchObject([
      { level: 'warning', facts: { reason: expect.stringMatching(/unable to open/) } },
    ])
    await expect(openProcessLock(lock.file)).rejects.toThrow(
      `stop it, or remove ${lock.file} only if no other server uses this folder`,
    )
  })

  it('is left to one who could not lock it, by one who can', async () => {
    using temp = new TempFolder()
    await mkdir(temp.file('lock.system'))
    await using lock = await openProcessLock(temp.file('lock'))
    await rm(temp.file('lock.system'), { recursive: true })

    await expect(openProcessLock(lock.file)).rejects.toThrow(`process ${process.pid}`)
  })

  it(
    'goes to exactly one of several processes racing for the lock of a killed one',
    { tags: ['long'] },
    async () => {
      using temp = new TempFolder()
      const file = temp.file('lock')
      await using first = new Starter(file)
      await first.line()
      first.go()
      expect(await first.line()).toBe('held')

      const starters = Array.from({ length: 4 }, () => new Starter(file))
      try {
        await Promise.all(starters.map((starter) => starter.line()))
        await first.kill()
        for (const starter of starters) starter.go()
        const outcomes = await Promise.all(starters.map((starter) => starter.line()))

        const holders = starters.filter((_, n) => outcomes[n] === 'held')
        expect(holders).toHaveLength(1)
        expect(outcomes.filter((outcome) => outcome.includes('in use by process'))).toHaveLength(3)
        expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ pid: holders[0]?.pid })
      } finally {
        await Promise.all(starters.map((starter) => starter.kill()))
      }
    },
  )

  it.skipIf(!mayMount())('leaves nothing on a full disk (needs mount)', async () => {
    using disk = new SmallDisk(1)
    disk.fill(0)

    await expect(openProcessLock(join(disk.path, 'lock'))).rejects.toThrow('ENOSPC')

    expect(await readdir(disk.path)).toEqual(['filler'])
  })
})
