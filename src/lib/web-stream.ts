import { finished, type Readable } from 'node:stream'

/**
 * Converts a stream to the body of a request or an answer. `Readable.toWeb` throws where nobody can catch it, so that
 * the process ends, when its stream is cancelled between the request for more data and the arrival of that.
 */
export function webStreamOf(source: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isOver = false
  return new ReadableStream(
    {
      start(controller) {
        source.pause()
        source.on('data', (chunk: Uint8Array<ArrayBuffer>) => {
          if (isOver) return
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) source.pause()
        })
        finished(source, { writable: false }, (error) => {
          if (isOver) return
          isOver = true
          if (error) controller.error(error)
          else controller.close()
        })
      },
      pull() {
        source.resume()
      },
      cancel() {
        isOver = true
        source.destroy()
      },
    },
    { highWaterMark: source.readableHighWaterMark, size: ({ length }) => length },
  )
}

/**
 * The body of a response, which fails when the signal is aborted. `fetch` forgets its own signal when memory is cleared
 * while the body arrives: the wait for the rest would last for minutes, or as long as a little of it comes now and then.
 */
export function bodyWithin({ body }: Response, signal: AbortSignal): ReadableStream<Uint8Array> {
  const sent = body ?? new ReadableStream({ start: (controller) => controller.close() })
  return sent.pipeThrough(new TransformStream(), { signal })
}
