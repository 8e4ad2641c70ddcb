import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { webStreamOf } from '../../../src/lib/web-stream.ts'

async function* endlessly() {
  for (;;) yield Buffer.from('more')
}

describe('a web stream of a stream', () => {
  it('has the same bytes, also when these are there before', async () => {
    const source = new PassThrough()
    source.write('one ')
    const stream = webStreamOf(source)
    source.end('two')

    expect(await new Response(stream).text()).toBe('one two')
    expect(await new Response(webStreamOf(Readable.from([]))).text()).toBe('')
  })

  it('reads no more than is asked for', async () => {
    let taken = 0
    const counted = endlessly()
    const source = Readable.from(
      (async function* () {
        for await (const part of counted) {
          taken += part.length
          yield part
        }
      })(),
      { objectMode: false, highWaterMark: 100 },
    )

    const reader = webStreamOf(source).getReader()
    await reader.read()
    for (let turn = 0; turn < 100; turn += 1) await nextTurn()

    expect(taken).toBeLessThan(400)
    await reader.cancel()
  })

  it('fails with the stream', async () => {
    const source = new PassThrough()
    const text = new Response(webStreamOf(source)).text()
    source.destroy(new Error('the disk is gone'))

    await expect(text).rejects.toThrow('the disk is gone')
  })

  it('ends the stream when it is cancelled', async () => {
    const source = new PassThrough()
    const closed = once(source, 'close')

    await webStreamOf(source).cancel()

    await closed
    expect(source.errored).toBe(null)
  })

  it('may be cancelled while data is on its way', async () => {
    const source = new PassThrough()
    source.write('late')
    const arrived = once(source, 'data')
    const stream = webStreamOf(source)
    // By now it has asked for data, which come with the next tick.
    await Promise.resolve()

    await stream.cancel()

    // The error of Readable.toWeb would be thrown here, in the event loop.
    expect(await arrived).toEqual([Buffer.from('late')])
  })
})
