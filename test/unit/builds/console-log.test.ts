import { readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { LineFinder } from '../../../src/builds/artifacts/console-lines.ts'
import { ConsoleLog } from '../../../src/builds/artifacts/console-log.ts'
import { orDiskFull } from '../../../src/builds/artifacts/disk-full.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

function consoleIn(folder: string): ConsoleLog {
  return new ConsoleLog(join(folder, 'job'), { clock: () => NOON, onSize: () => undefined })
}

function textIn(folder: string, name = 'console.log'): string {
  return readFileSync(join(folder, 'job', 'cruise-output', name), 'utf8')
}

describe('a console log', () => {
  it('does not count what the server notes in it', async () => {
    const folder = tempDir()
    const log = consoleIn(folder)

    await log.append(0, Buffer.from('one\n'))
    await log.note('The job is cancelled')

    expect(await log.append(4, Buffer.from('two\n'))).toBe(8)
    expect(textIn(folder)).toBe('one\n12:00:00.000 [cairn] The job is cancelled\ntwo\n')
  })

  it('keeps appends apart that come at the same time', async () => {
    const folder = tempDir()
    const log = consoleIn(folder)

    const offsets = await Promise.all(
      ['a', 'b', 'c'].map((text) => log.append(0, Buffer.from(text))),
    )

    expect(offsets).toEqual([1, 1, 1])
    expect(textIn(folder)).toBe('a')
  })

  it('goes on from what another process of the server has written', async () => {
    const folder = tempDir()
    await consoleIn(folder).append(0, Buffer.from('before\n'))

    expect(await consoleIn(folder).append(0, Buffer.from('before\n'))).toBe(7)
    expect(await consoleIn(folder).append(7, Buffer.from('after\n'))).toBe(13)
  })

  it('sets aside the console of an earlier attempt, and removes what else it left', async () => {
    const folder = tempDir()
    const log = consoleIn(folder)
    await log.append(0, Buffer.from('first\n'))
    writeFileSync(join(folder, 'job', 'artifact'), 'x')

    await log.begin()
    await log.append(0, Buffer.from('second\n'))

    expect([textIn(folder, 'console.1.log'), textIn(folder)]).toEqual(['first\n', 'second\n'])
    expect(() => readFileSync(join(folder, 'job', 'artifact'))).toThrow('ENOENT')
  })
})

describe('a full disk', () => {
  it.each(['ENOSPC', 'EDQUOT'])('is reported by its name when the system says %s', async (code) => {
    const failing = orDiskFull(async () => {
      throw Object.assign(new Error('write'), { code })
    })

    await expect(failing).rejects.toMatchObject({ code: 'disk-full', facts: { reason: code } })
  })

  it('is not suspected behind other failures', async () => {
    const failing = orDiskFull(async () => {
      throw Object.assign(new Error('write'), { code: 'EIO' })
    })

    await expect(failing).rejects.toMatchObject({ code: 'EIO' })
  })
})

/** The text of a page that requests more after each growth. */
async function followed(chunks: readonly string[]): Promise<string> {
  const file = join(tempDir(), 'console.log')
  writeFileSync(file, '')
  const lines = new LineFinder()
  await using handle = await open(file, 'r+')
  let [written, seen, next] = ['', '', 0]
  for (const [index, chunk] of chunks.entries()) {
    written += chunk
    writeFileSync(file, written)
    const isComplete = index === chunks.length - 1
    const tail = await lines.tail(handle, { line: next, isComplete })
    seen += written.slice(tail.from, tail.to)
    next = tail.nextLine
  }
  return seen
}

describe('the lines of a growing file', () => {
  it.each([
    [['one\n', 'two\nthree', ' and half\n', 'end']],
    [['', 'a', 'b', '\n', '\n\n', 'c\n']],
    [['x'.repeat(70_000), '\n', `${'y\n'.repeat(70_000)}z`]],
    [['no line feed at all']],
  ])('are all seen once by who follows them', async (chunks) => {
    expect(await followed(chunks)).toBe(chunks.join(''))
  })

  it('are found without reading all of it, also by who is behind others', async () => {
    const file = join(tempDir(), 'console.log')
    writeFileSync(file, `${'x'.repeat(99)}\n`.repeat(50_000))
    await using handle = await open(file)
    const lines = new LineFinder()
    const read = vi.spyOn(handle, 'read')
    await lines.tail(handle, { line: 49_999, isComplete: false })
    const before = read.mock.calls.length

    const behind = await lines.tail(handle, { line: 30_005, isComplete: false })
    const ahead = await lines.tail(handle, { line: 50_000, isComplete: false })
    const beyond = await lines.tail(handle, { line: 50_001, isComplete: true })

    const end = { to: 5_000_000, nextLine: 50_000 }
    expect(behind).toEqual({ from: 3_000_500, ...end })
    expect(ahead).toEqual({ from: 5_000_000, ...end })
    expect(beyond).toEqual({ from: 5_000_000, ...end })
    expect(read.mock.calls.length - before).toBeLessThan(before / 4)
  })
})
