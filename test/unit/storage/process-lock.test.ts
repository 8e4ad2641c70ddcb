import { spawn } from 'node:child_process'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { identifyThisProcess } from '../../../src/storage/process-identity.ts'
import { openProcessLock } from '../../../src/storage/process-lock.ts'
import { TempFolder } from '../../support/temp-folder.ts'

const STARTER = fileURLToPath(new URL('../../support/lock-starter.ts', import.meta.url))

class Starter implements AsyncDisposable {
  readonly #child
  readonly #lines

  constructor(file: string) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', STARTER, file], {
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
    expect(await readdir(temp.path)).toEqual(['lock'])
  })

  it('is taken over when the power went while it was written', async () => {
    using temp = new TempFolder()
    await writeFile(temp.file('lock'), '{"pid":')

    await using lock = await openProcessLock(temp.file('lock'))

    expect(await readdir(temp.path)).toEqual(['lock'])
    expect(lock.file).toBe(temp.file('lock'))
  })

  it('is taken over although a process died in the middle of taking it over', async () => {
    using temp = new TempFolder()
    const dead = { ...(await identifyThisProcess()), startTime: '1' }
    const claimant = { ...(await identifyThisProcess()), startTime: '2' }
    await writeFile(temp.file('lock'), JSON.stringify(dead))
    await writeFile(temp.file(`lock.${dead.id}`), JSON.stringify(claimant))

    await using lock = await openProcessLock(temp.file('lock'))

    expect(await readdir(temp.path)).toEqual(['lock'])
    expect(lock.file).toBe(temp.file('lock'))
  })

  it('is left to a process of another host, which cannot be asked', async () => {
    using temp = new TempFolder()
    const other = { ...(await identifyThisProcess()), host: `not-${hostname()}` }
    await writeFile(temp.file('lock'), JSON.stringify(other))

    await expect(openProcessLock(temp.file('lock'))).rejects.toThrow(`not-${hostname()}`)
  })

  it('goes to exactly one of several processes racing for the lock of a killed one', async () => {
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
  })
})
