import { escapeHtml } from '../kit/words/escape.ts'
import type { ConsolePart } from './console-part.ts'

/** The style of a piece of text. */
interface Style {
  readonly colour: number | null
  readonly isBold: boolean
  readonly isUnderlined: boolean
}

const PLAIN: Style = { colour: null, isBold: false, isUnderlined: false }
/** The limit of pieces in a line; the rest keeps the style of the last one. */
const MAX_PIECES = 40
const MAX_LENGTH = 4_000

const ESCAPE = '\u001b'
/** A control sequence, an operating system command, or another escape. */
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[([0-9;:?<=>!]*)[ -/]*([@-~])|[\\]PX^_][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?|[ -/]*[0-~]?)`,
  'g',
)
/** Characters that are invisible or change the direction of text. */
const HIDDEN = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu
const CONTROL = /[^\P{Cc}\t]/gu

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * One line of a console as HTML: the time at its start and colours become elements, everything else
 * is text. The agent writes no day: it is that of the start of the job, or the one after it. Its clock
 * may be behind the one that the start was read from.
 */
export function consoleLineHtml(line: string, start: number): string {
  const shown = lastWritten(line)
  const clock = timeOf(shown)
  const text = shown.slice(clock.length, MAX_LENGTH)
  const more = shown.length - clock.length - text.length
  const cut = more > 0 ? `<em> … ${more} more characters</em>` : ''
  return `${timeHtml(clock, start)}${pieces(text)}${cut}`
}

function timeHtml(clock: string, start: number): string {
  if (clock === '') return ''
  const hour = clock.trimEnd()
  const time = Date.parse(`${new Date(start).toISOString().slice(0, 10)}T${hour}Z`)
  if (Number.isNaN(time)) return escapeHtml(clock)
  const at = new Date(time < start - HOUR_MS ? time + DAY_MS : time).toISOString()
  return `<time datetime="${at}" data-when="clock">${hour}</time> `
}

/** A progress bar rewrites its line: only the last version is shown. */
function lastWritten(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end -= 1
  const text = line.slice(0, end)
  const start = text.lastIndexOf('\r') + 1
  return start === 0 ? text : `${timeOf(text)}${text.slice(start)}`
}

/** The time that the agent wrote at the start of the line. */
function timeOf(text: string): string {
  return /^\d\d:\d\d:\d\d\.\d{3} /.exec(text)?.[0] ?? ''
}

function pieces(line: string): string {
  let html = ''
  let style = PLAIN
  let from = 0
  let count = 0
  for (const match of line.matchAll(SEQUENCE)) {
    const [whole, parameters = '', final] = match
    html += piece(line.slice(from, match.index), style)
    from = match.index + whole.length
    count += 1
    if (final === 'm' && count < MAX_PIECES) style = styled(style, parameters)
  }
  return html + piece(line.slice(from), style)
}

function piece(text: string, style: Style): string {
  if (text === '') return ''
  const visible = text.replace(CONTROL, '').replace(HIDDEN, named)
  const classes = classesOf(style)
  return classes === '' ? escapeHtml(visible) : `<b class="${classes}">${escapeHtml(visible)}</b>`
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

function classesOf({ colour, isBold, isUnderlined }: Style): string {
  return [
    ...(colour === null ? [] : [`c${colour}`]),
    ...(isBold ? ['strong'] : []),
    ...(isUnderlined ? ['under'] : []),
  ].join(' ')
}

/** Applies a sequence to a style. Colours of larger palettes are ignored. */
function styled(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number)
  let style = before
  for (let n = 0; n < codes.length; n += 1) {
    const code = codes[n] ?? 0
    if (code === 38 || code === 48) n += codes[n + 1] === 2 ? 4 : 2
    else style = withCode(style, code)
  }
  return style
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN
  if (code === 1) return { ...style, isBold: true }
  if (code === 22) return { ...style, isBold: false }
  if (code === 4) return { ...style, isUnderlined: true }
  if (code === 24) return { ...style, isUnderlined: false }
  if (code === 39) return { ...style, colour: null }
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 }
  return code >= 90 && code <= 97 ? { ...style, colour: code - 90 } : style
}

/**
 * The lines of a console as list items, built as a string because there are many. The one that
 * tells of the failure can be linked to.
 */
export function consoleHtml(
  { lines, first }: ConsolePart,
  { start, failure }: { readonly start: number; readonly failure?: number | undefined },
): string {
  return lines
    .map((line, n) => {
      const id = first + n === failure ? ' id="failure"' : ''
      return `<li value="${first + n + 1}"${id}>${consoleLineHtml(line, start)}\n</li>`
    })
    .join('')
}
