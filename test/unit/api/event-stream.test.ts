import { describe, expect, it } from 'vitest'
import { EventStream } from '../../../src/api/configuration/event-stream.ts'

function openStream() {
  let closings = 0
  const stream = new EventStream(() => (closings += 1))
  return { stream, closings: () => closings }
}

const EVENT = { id: '1', event: 'revision', data: 'x'.repeat(1_000) }

describe('EventStream', () => {
  it('keeps a reader that takes what it is sent', async () => {
    const { stream, closings } = openStream()
    const reader = stream.response.body?.getReader()

    for (let n = 0; n < 1_000; n += 1) {
      stream.send(EVENT)
      await reader?.read()
    }
    stream.keepAlive()

    expect([stream.isOpen, closings()]).toEqual([true, 0])
  })

  it('lets a reader go that leaves too much untaken, and is closed once', () => {
    const { stream, closings } = openStream()

    for (let n = 0; n < 1_000; n += 1) stream.send(EVENT)

    expect([stream.isOpen, closings()]).toEqual([false, 1])
  })

  it('lets a reader go that took nothing since the last sign of life', () => {
    const { stream, closings } = openStream()

    stream.keepAlive()
    stream.keepAlive()

    expect([stream.isOpen, closings()]).toEqual([false, 1])
  })

  it('hears that the reader is gone', async () => {
    const { stream, closings } = openStream()

    await stream.response.body?.cancel()
    stream.send(EVENT)

    expect([stream.isOpen, closings()]).toEqual([false, 1])
  })
})
