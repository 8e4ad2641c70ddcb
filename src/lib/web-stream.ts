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
