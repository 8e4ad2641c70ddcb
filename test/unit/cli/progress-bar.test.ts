import { describe, expect, it } from 'vitest'
import { ProgressBar } from '../../../src/cli/commands/import.ts'

/** The output of a bar on its way from none to all of a hundred commits. */
function written(isTTY: boolean): string {
  let text = ''
  const out = {
    isTTY,
    write: (part: string | Uint8Array) => {
      text += String(part)
      return true
    },
  }
  using bar = new ProgressBar('commits', out)
  for (let done = 1; done <= 100; done += 1) bar.show({ done, total: 100 })
  bar[Symbol.dispose]()
  return text
}

describe('a progress bar', () => {
  it('is one line on a terminal, which is empty at the end', () => {
    const text = written(true)

    expect(text).toContain(`[${'#'.repeat(40)}] 100 of 100 commits`)
    expect(text).not.toContain('\n')
    expect(text.endsWith('\r\u001B[K')).toBe(true)
  })

  it('is ten plain lines elsewhere', () => {
    const lines = written(false).trim().split('\n')

    expect(lines).toHaveLength(10)
    expect(lines.at(-1)).toBe('cairn: 100 of 100 commits')
  })
})
