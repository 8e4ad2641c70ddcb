import { describe, expect, it } from 'vitest'
import { ConsoleUpload } from '../../../src/agent/console/console-upload.ts'
import { CONSOLE_BATCH } from '../../../src/wire/agent/work.ts'

/** A server's side of a console, which may behave badly once. */
class Sink {
  text = Buffer.alloc(0)
  readonly batches: number[] = []
  readonly refusals: unknown[] = []
  trouble: (offset: number, bytes: Buffer) => number | null = () => null
  hold: ((answer: (has: number) => void) => void) | null = null
  readonly upload = new ConsoleUpload({
    append: async (offset, bytes) => {
      if (this.hold) return new Promise(this.hold)
      const answer = this.trouble(offset, bytes)
      if (answer !== null) return answer
      this.batches.push(bytes.length)
      if (offset === this.text.length) this.text = Buffer.concat([this.text, bytes])
      return this.text.length
    },
    flushMs: 5,
    onFlush: () => undefined,
    onRefused: (reason) => this.refusals.push(reason),
  })
}

describe('the upload of a console', () => {
  it('gathers little pieces and splits big ones', async () => {
    const sink = new Sink()
    const big = 'x'.repeat(3_000_000)

    for (const piece of ['a', 'b', 'c', big]) await sink.upload.write(piece)
    await sink.upload.close()

    expect(sink.text.toString()).toBe(`abc${big}`)
    expect(sink.batches.length).toBeLessThan(6)
    expect(Math.max(...sink.batches)).toBe(CONSOLE_BATCH.most)
  })

  it('sends a little text without waiting for the end', async () => {
    const sink = new Sink()
    await sink.upload.write('first')

    await new Promise<void>((resolve) => {
      sink.trouble = () => {
        setImmediate(resolve)
        return null
      }
    })

    expect(sink.text.toString()).toBe('first')
  })

  it('does not double what arrived although the answer was about less', async () => {
    const sink = new Sink()
    const answers = [0]
    sink.trouble = (_, bytes) => {
      const answer = answers.pop() ?? null
      if (answer !== null) sink.text = Buffer.from(bytes)
      return answer
    }

    await sink.upload.write('once')
    await sink.upload.close()

    expect(sink.text.toString()).toBe('once')
  })

  it('goes on from where a server is that lost the end of the console', async () => {
    const sink = new Sink()
    await sink.upload.write('one two ')
    await sink.upload.close()
    sink.text = sink.text.subarray(0, 4)

    await sink.upload.write('three')
    await sink.upload.close()

    expect(sink.text.toString()).toBe('one three')
  })

  it('throws away what a server does not take, and says so once', async () => {
    const sink = new Sink()
    sink.trouble = () => {
      throw new Error('gone')
    }

    await sink.upload.write('one')
    await sink.upload.close()
    await sink.upload.write('two')
    await sink.upload.close()

    expect(sink.refusals).toEqual([new Error('gone')])
  })

  it('lets the writer wait while the server is slow', async () => {
    const sink = new Sink()
    const asked = new Promise<(has: number) => void>((called) => {
      sink.hold = called
    })
    let written = false

    const writing = sink.upload.write('x'.repeat(5_000_000)).then(() => (written = true))
    const answer = await asked
    expect(written).toBe(false)

    answer(5_000_000)
    await writing
    expect(written).toBe(true)
  })
})
