import { editScript } from '../../diff/edit-script.ts'
import { countEach } from '../../lib/grouping.ts'

/** A line of a text and its line ending. */
interface Ended {
  readonly text: string
  readonly ending: string
}

/**
 * Restores the line endings of the original in a text from a form, which sends every line with the
 * same ending.
 */
export function withOwnLineEndings(own: string, typed: string): string {
  const plain = plainEndings(typed)
  if (!own.includes('\r')) return plain
  const ownLines = linesOf(own)
  const usual = usualEnding(ownLines)
  const script = editScript(Buffer.from(plainEndings(own)), Buffer.from(plain))
  const { count } = script.before
  const end = { start: count, end: count }
  const lines = linesOf(plain).map(({ text, ending }) => ({
    text,
    ending: ending === '' ? '' : usual,
  }))
  let from = 0
  let to = 0
  for (const change of [...script.changes, { before: end, after: end }]) {
    for (; from < change.before.start && to < lines.length; from += 1, to += 1) {
      const ownLine = ownLines[from]
      if (ownLine) lines[to] = ownLine
    }
    from = change.before.end
    to = change.after.end
  }
  return joined(lines)
}

/** Restores the line endings in the bytes of a document from a browser's form, where every line ends with CRLF. */
export function withOwnLineEndingBytes(
  own: Uint8Array<ArrayBuffer>,
  sent: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const typed = textOf(sent)
  if (!typed.includes('\r') || /(?<!\r)\n|\r(?!\n)/.test(typed)) return sent
  return new Uint8Array(Buffer.from(withOwnLineEndings(textOf(own), typed), 'latin1'))
}

/** Decodes each byte as one character, so that any bytes survive the round trip. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

function plainEndings(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function linesOf(text: string): Ended[] {
  const parts = text.split(/(\r\n|\r|\n)/)
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_, n) => ({
    text: parts[2 * n] ?? '',
    ending: parts[2 * n + 1] ?? '',
  })).filter(({ text: line, ending }) => line !== '' || ending !== '')
}

/**
 * Joins lines. An empty line after a carriage return ends with one too: its line feed would make a
 * single CR LF of both, and the line would be lost.
 */
function joined(lines: readonly Ended[]): string {
  let last = ''
  const parts = lines.map(({ text, ending }) => {
    last = text === '' && last === '\r' && ending === '\n' ? '\r' : ending
    return text + last
  })
  return parts.join('')
}

function usualEnding(lines: readonly Ended[]): string {
  const counts = countEach(lines.map(({ ending }) => ending))
  counts.delete('')
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  return most?.[0] ?? '\n'
}
