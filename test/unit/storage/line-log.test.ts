import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LineLog, type LineLogOptions } from '../../../src/storage/line-log.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const NONE = () => {}

function open(folder: string, given: Partial<LineLogOptions> = {}): Promise<LineLog> {
  return LineLog.open({ folder, name: 'x', fileSize: 1_000, files: 4, removed: NONE, ...given })
}

async function appendMany(log: LineLog, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await log.append((id) => `line ${id}`)
}

async function allOf(log: LineLog): Promise<string[]> {
  const lines: string[] = []
  let before: number | null = log.next()
  while (before !== null) {
    before = await log.readBack(before, (line) => lines.push(line) > 0)
  }
  return lines
}

describe('a log of lines', () => {
  it('numbers its lines and reads them back, newest first, after a restart too', async () => {
    const folder = tempDir()
    const log = await open(folder)
    await Promise.all([1, 2, 3].map(() => log.append((id) => `line ${id}`)))
    await log[Symbol.asyncDispose]()

    await using again = await open(folder)
    await again.append((id) => `line ${id}`)

    expect(await allOf(again)).toEqual(['line 4', 'line 3', 'line 2', 'line 1'])
  })

  it('cuts off what a crash left of a line, and goes on with its number', async () => {
    const folder = tempDir()
    const log = await open(folder)
    await appendMany(log, 2)
    await log[Symbol.asyncDispose]()
    const [file = ''] = readdirSync(folder)
    appendFileSync(join(folder, file), '{"half":')

    await using again = await open(folder)
    await again.append((id) => `line ${id}`)

    expect(readFileSync(join(folder, file), 'utf8')).toBe('line 1\nline 2\nline 3\n')
  })

  it('begins new files, removes the oldest, and says which lines are gone', async () => {
    const folder = tempDir()
    const removed: (readonly [number, number])[] = []
    const told = (first: number, last: number) => removed.push([first, last])
    await using log = await open(folder, { fileSize: 50, removed: told })

    await appendMany(log, 40)
    const left = await allOf(log)

    expect(readdirSync(folder)).toHaveLength(4)
    expect(removed[0]).toEqual([1, 8])
    expect(removed.at(-1)?.[1]).toBe(40 - left.length)
    expect(left.at(-1)).toBe(`line ${(removed.at(-1)?.[1] ?? 0) + 1}`)
  })

  it('pages through many files without leaving any line out', async () => {
    await using log = await open(tempDir(), { fileSize: 20, files: 100 })

    await appendMany(log, 60)

    expect(await allOf(log)).toEqual(Array.from({ length: 60 }, (_, n) => `line ${60 - n}`))
  })

  it('fails for the caller alone while it cannot be written, and goes on after that', async () => {
    const folder = join(tempDir(), 'log')
    await using log = await open(folder, { fileSize: 1 })
    await appendMany(log, 1)
    const second = join(folder, 'x-000000000000002.jsonl')
    mkdirSync(second)

    const failed = log.append((id) => `line ${id}`)
    await expect(failed).rejects.toThrow(/EISDIR/)
    rmSync(second, { recursive: true })
    await log.append((id) => `line ${id}`)

    expect(await allOf(log)).toEqual(['line 2', 'line 1'])
  })
})
