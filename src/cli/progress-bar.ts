import type { WriteStream } from 'node:tty'

const WIDTH = 40
/** Milliseconds between two updates of the bar. */
const REDRAW_INTERVAL_MS = 100
/** The number of lines that report the progress where there is no terminal. */
const LINES = 10

/** Shows progress: a bar on a terminal, a few lines elsewhere. */
export class ProgressBar implements Disposable {
  readonly #out: Pick<WriteStream, 'isTTY' | 'write'>
  readonly #what: string
  #drawn = 0
  #part = 0

  constructor(what: string, out: Pick<WriteStream, 'isTTY' | 'write'> = process.stderr) {
    this.#what = what
    this.#out = out
  }

  show({ done, total }: { readonly done: number; readonly total: number }): void {
    if (this.#out.isTTY) this.#draw(done, total)
    else this.#printLine(done, total)
  }

  /** Leaves the line to the next output. */
  [Symbol.dispose](): void {
    if (this.#out.isTTY && this.#drawn > 0) this.#out.write('\r\u001B[K')
  }

  #draw(done: number, total: number): void {
    const now = performance.now()
    if (done < total && now - this.#drawn < REDRAW_INTERVAL_MS) return
    this.#drawn = now
    const filled = Math.floor((WIDTH * done) / total)
    const bar = '#'.repeat(filled).padEnd(WIDTH, '.')
    this.#out.write(`\r\u001B[K[${bar}] ${done} of ${total} ${this.#what}`)
  }

  #printLine(done: number, total: number): void {
    const part = Math.floor((LINES * done) / total)
    if (part === this.#part) return
    this.#part = part
    this.#out.write(`cairn: ${done} of ${total} ${this.#what}\n`)
  }
}
