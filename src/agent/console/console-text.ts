import type { Clock } from '../../lib/clock.ts'
import type { SecretMask } from './secret-mask.ts'

/** Unfinished lines longer than this are written in parts. */
const MAX_UNFINISHED_LENGTH = 64 * 1024
/** Only text that consists of secrets grows this long without a safe position to cut. */
const MAX_HELD_LENGTH = 1024 * 1024

/**
 * Converts pieces of output to the text of a console: whole lines, each with the time of day at
 * which it started, with secrets hidden even when they arrive in pieces. Sources do not share a
 * line.
 */
export class ConsoleText {
  readonly #mask: SecretMask
  readonly #clock: Clock
  readonly #pending = new Map<string, string>()
  /** The source of the line that is written but not ended. */
  #open: string | null = null

  constructor({ mask, clock }: { mask: SecretMask; clock: Clock }) {
    this.#mask = mask
    this.#clock = clock
  }

  /** Adds a piece of output; returns the text of all lines that it ends. */
  add(source: string, piece: string): string {
    const pending = (this.#pending.get(source) ?? '') + piece
    const end = pending.lastIndexOf('\n')
    const text = end < 0 ? '' : this.#renderLines(source, pending.slice(0, end))
    const rest = pending.slice(end + 1)
    this.#pending.set(source, rest)
    return rest.length > MAX_UNFINISHED_LENGTH ? text + this.#renderPart(source) : text
  }

  /** The text of unfinished lines that can be shown. */
  addUnfinished(): string {
    return [...this.#pending.keys()].map((source) => this.#renderPart(source)).join('')
  }

  /** Ends every unfinished line. */
  end(): string {
    const unfinished = [...this.#pending].filter(
      ([source, text]) => text !== '' || this.#open === source,
    )
    this.#pending.clear()
    return unfinished.map(([source, text]) => this.#renderLines(source, text)).join('')
  }

  /**
   * Renders whole lines with the same time. No secret spans lines, so that they are searched
   * together.
   */
  #renderLines(source: string, text: string): string {
    const stamp = `${timeOfDay(this.#clock())} `
    const begin = this.#begin(source, stamp)
    this.#open = null
    const lines = `${this.#mask.hide(text)}\n`.replaceAll('\r\n', '\n')
    return begin + lines.replaceAll(/\n(?!$)/g, `\n${stamp}`)
  }

  #renderPart(source: string): string {
    const pending = this.#pending.get(source) ?? ''
    const safe = pending.length > MAX_HELD_LENGTH ? pending.length : this.#mask.safeLength(pending)
    const shown = pending.slice(0, safe)
    if (shown === '') return ''
    this.#pending.set(source, pending.slice(safe))
    const stamp = `${timeOfDay(this.#clock())} `
    const text = this.#begin(source, stamp) + this.#mask.hide(shown)
    this.#open = source
    return text
  }

  /** The text required before text of this source. */
  #begin(source: string, stamp: string): string {
    if (this.#open === source) return ''
    return this.#open === null ? stamp : `\n${stamp}`
  }
}

/** `HH:mm:ss.SSS`, in the agent's time zone. */
function timeOfDay(time: number): string {
  const date = new Date(time)
  const fields = [date.getHours(), date.getMinutes(), date.getSeconds()]
  const clock = fields.map((field) => String(field).padStart(2, '0')).join(':')
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`
}
