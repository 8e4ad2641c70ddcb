import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConsoleText } from '../../../src/agent/console/console-text.ts'
import { SecretMask } from '../../../src/agent/console/secret-mask.ts'

const START = new Date(2026, 0, 2, 3, 4, 5, 6).getTime()

function aConsole(...secrets: string[]): ConsoleText {
  let time = START
  return new ConsoleText({ mask: new SecretMask(secrets), clock: () => time++ })
}

describe('the text of a console', () => {
  it('has whole lines with the time they began at', () => {
    const text = aConsole()

    expect(text.add('stdout', 'one\ntw')).toBe('03:04:05.006 one\n')
    expect(text.add('stdout', 'o\r\n\n')).toBe('03:04:05.007 two\n03:04:05.007 \n')
  })

  it('does not mix the lines of two sources', () => {
    const text = aConsole()

    const shown = [
      text.add('stdout', 'progress ..'),
      text.addUnfinished(),
      text.add('stderr', 'warning\n'),
      text.add('stdout', '.. done\n'),
    ].join('')

    expect(shown).toBe('03:04:05.006 progress ..\n03:04:05.007 warning\n03:04:05.008 .. done\n')
  })

  it('shows a line that is not ended, and goes on in it', () => {
    const text = aConsole()

    text.add('stdout', '..')

    expect(text.addUnfinished()).toBe('03:04:05.006 ..')
    expect(text.add('stdout', '..\n')).toBe('..\n')
  })

  it('ends what is not ended', () => {
    const text = aConsole()

    text.add('stdout', 'no line feed')

    expect(text.end()).toBe('03:04:05.006 no line feed\n')
    expect(text.end()).toBe('')
  })

  it('does not keep a line without end', () => {
    const text = aConsole('secret')

    const shown = text.add('stdout', 'x'.repeat(100_000))

    expect(shown.length).toBeGreaterThan(99_000)
  })

  it('hides a secret however it is cut into pieces', () => {
    const secret = 's3cr3t-länger'
    const pieces = fc.array(fc.nat(secret.length * 3), { maxLength: 8 })
    fc.assert(
      fc.property(pieces, fc.boolean(), (cuts, flush) => {
        const text = aConsole(secret)
        const input = `a${secret}b${secret}${secret}\n`
        const places = [0, ...cuts.toSorted((one, other) => one - other), input.length]
        const shown = places.slice(1).map((end, index) => {
          const added = text.add('stdout', input.slice(places[index], end))
          return flush ? added + text.addUnfinished() : added
        })

        expect(shown.join('')).toBe('03:04:05.006 a********b****************\n')
      }),
    )
  })

  it('does not cut a character in two', () => {
    const text = aConsole('ab')

    text.add('stdout', 'x😀')

    expect(text.addUnfinished() + text.end()).toBe('03:04:05.006 x😀\n')
  })
})
