/** The limit of data that a stream holds for a reader that is behind, in bytes. */
const BACKLOG = 262_144

export interface StreamEvent {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/**
 * Server-sent events to one reader. A reader that has not taken what it was sent before the next
 * sign of life is let go: it comes back with the id of the last event that it has.
 */
export class EventStream {
  readonly response: Response
  readonly #encoder = new TextEncoder()
  readonly #closed: () => void
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null

  /** @param closed called once, when either side has ended the stream. */
  constructor(closed: () => void) {
    this.#closed = closed
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BACKLOG }),
    )
    this.response = new Response(body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    })
  }

  get isOpen(): boolean {
    return this.#controller !== null
  }

  send({ id, event, data }: StreamEvent): void {
    this.#write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** A line that readers pass over, so that nobody on the way takes the silence for an end. */
  keepAlive(): void {
    const isBehind = this.#controller !== null && (this.#controller.desiredSize ?? 0) < BACKLOG
    if (isBehind) this.close()
    else this.#write(': still here\n\n')
  }

  /** Ends the stream after what has been sent; the server cuts a connection on which nothing moves. */
  close(): void {
    this.#controller?.close()
    this.#end()
  }

  #write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text))
    if (this.#controller !== null && (this.#controller.desiredSize ?? 0) <= 0) this.close()
  }

  #end(): void {
    if (this.#controller === null) return
    this.#controller = null
    this.#closed()
  }
}
