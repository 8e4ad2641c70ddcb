import { StringDecoder } from 'node:string_decoder'
import type { Clock } from '../../lib/clock.ts'
import type { OutputSource } from '../process/output-pump.ts'
import { ConsoleText } from './console-text.ts'
import { ConsoleUpload } from './console-upload.ts'
import type { SecretMask } from './secret-mask.ts'

export interface JobConsoleOptions {
  readonly mask: SecretMask
  readonly clock: Clock
  readonly flushMs: number
  readonly append: (offset: number, bytes: Buffer) => Promise<number>
  readonly onRefused: (reason: unknown) => void
  /** Called on output: the job is not silent. */
  readonly onOutput: () => void
}

/**
 * The console of one job: the output of its commands and the agent's own lines, sent while it runs.
 */
export class JobConsole {
  readonly #text: ConsoleText
  readonly #upload: ConsoleUpload
  readonly #onOutput: () => void
  #decoders = newDecoders()

  constructor(options: JobConsoleOptions) {
    this.#text = new ConsoleText(options)
    this.#onOutput = options.onOutput
    this.#upload = new ConsoleUpload({
      ...options,
      onFlush: () => this.#upload.add(this.#text.addUnfinished()),
    })
  }

  /** Adds a piece of a command's output; resolves when there is room for more. */
  readonly output = async (source: OutputSource, chunk: Buffer): Promise<void> => {
    this.#onOutput()
    await this.#upload.write(this.#text.add(source, this.#decoders[source].write(chunk)))
  }

  /** Writes a text of the agent as one or more lines. */
  note(text: string): void {
    const lines = text.split('\n').map((line) => `[cairn] ${line}\n`)
    this.#upload.add(this.#text.add('agent', lines.join('')))
  }

  /** Ends the lines of a command; the next output starts a new one. */
  endCommand(): void {
    for (const source of ['stdout', 'stderr'] as const) {
      this.#upload.add(this.#text.add(source, this.#decoders[source].end()))
    }
    this.#decoders = newDecoders()
    this.#upload.add(this.#text.end())
  }

  /** Resolves when the server has everything, or refuses more. */
  async close(): Promise<void> {
    this.endCommand()
    await this.#upload.close()
  }
}

function newDecoders(): Record<OutputSource, StringDecoder> {
  return { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
}
