import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

export type OutputSource = 'stdout' | 'stderr'

/**
 * Receives a piece of output; the next one is read when the promise resolves, and none after a
 * rejection.
 */
export type OutputSink = (source: OutputSource, chunk: Buffer) => Promise<void>

/** The output of a command arrives at once; background processes may write as long as they live. */
const QUIET_MS = 250
const MAX_QUIET_WAITS = 20

/** Reads one output of a process to its end, piece by piece. */
export class OutputPump {
  readonly #closed: Promise<boolean>
  #pieces = 0
  #handling = false

  constructor(stream: Readable, source: OutputSource, sink: OutputSink) {
    this.#closed = new Promise((resolve) => stream.once('close', () => resolve(true)))
    stream.on('error', () => stream.destroy())
    stream.on('data', (chunk: Buffer) => {
      stream.pause()
      this.#handling = true
      sink(source, chunk).then(
        () => {
          this.#handling = false
          this.#pieces += 1
          stream.resume()
        },
        () => stream.destroy(),
      )
    })
  }

  /** Resolves at the end of the output, or when only a background process still holds it open. */
  async settled(): Promise<void> {
    let seen = -1
    for (let wait = 0; wait < MAX_QUIET_WAITS; wait += 1) {
      if (seen === this.#pieces && !this.#handling) return
      seen = this.#pieces
      if (await Promise.race([this.#closed, delay(QUIET_MS, false)])) return
    }
  }
}
