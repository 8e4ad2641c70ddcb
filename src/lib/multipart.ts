/** One field of a multipart form, with its exact bytes. */
export interface MultipartField {
  readonly name: string
  readonly value: Uint8Array
}

/** A line between two parts, or at the end of the last one. */
interface DelimiterLine {
  readonly start: number
  /** Where the line break behind it begins, which is the first one of the part that follows. */
  readonly end: number
  readonly isLast: boolean
}

const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d]
const LINE_BREAK = '\r\n'
/** The most that the headers of a part take, in bytes. */
const MAX_HEADER_BYTES = 16_384
/** A parameter of a header: its name, and its value as a quoted text or as a word. */
const PARAMETER = /;[ \t]*([\w*]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g
/** Encodings that leave bytes as they are. */
const PLAIN = /^(?:7bit|8bit|binary)$/i
/** Written by browsers in names in the place of characters that would end them. */
const STAND_INS: Readonly<Record<string, string>> = { '%0D': '\r', '%0A': '\n', '%22': '"' }

/**
 * Reads the fields of a form in `multipart/form-data`, in their order. What stands around the parts means
 * nothing. Null for a form that is not whole: without its boundary or its end, with a part that has no name
 * or is in another encoding.
 */
export function readMultipart(body: Uint8Array, contentType: string): MultipartField[] | null {
  const boundary = parametersOf(contentType).get('boundary')
  if (boundary === undefined) return null
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const delimiter = Buffer.from(`${LINE_BREAK}--${boundary}`, 'latin1')
  const fields: MultipartField[] = []
  let line = firstDelimiter(bytes, delimiter)
  while (line !== null && !line.isLast) {
    const next = nextDelimiter(bytes, delimiter, line.end)
    const field = next && fieldOf(bytes.subarray(line.end, next.start))
    if (!field) return null
    fields.push(field)
    line = next
  }
  return line === null ? null : fields
}

/** Finds the first delimiter, which has no line break before it where the body begins with it. */
function firstDelimiter(bytes: Buffer, delimiter: Buffer): DelimiterLine | null {
  const opening = delimiter.subarray(LINE_BREAK.length)
  const isAtOnce = bytes.subarray(0, opening.length).equals(opening)
  const atOnce = isAtOnce ? lineOf(bytes, 0, opening.length) : null
  return atOnce ?? nextDelimiter(bytes, delimiter, 0)
}

function nextDelimiter(bytes: Buffer, delimiter: Buffer, from: number): DelimiterLine | null {
  let start = bytes.indexOf(delimiter, from)
  while (start >= 0) {
    const line = lineOf(bytes, start, start + delimiter.length)
    if (line !== null) return line
    start = bytes.indexOf(delimiter, start + delimiter.length)
  }
  return null
}

/** The line with a delimiter that ends at `after`; null where it has other text, too. */
function lineOf(bytes: Buffer, start: number, after: number): DelimiterLine | null {
  const isLast = bytes[after] === DASH && bytes[after + 1] === DASH
  let end = isLast ? after + 2 : after
  while (bytes[end] === SPACE || bytes[end] === TAB) end += 1
  const isWhole = (bytes[end] === CR && bytes[end + 1] === LF) || (isLast && end === bytes.length)
  return isWhole ? { start, end, isLast } : null
}

/** Reads one part: a line break, headers, an empty line, and the value. */
function fieldOf(part: Buffer): MultipartField | null {
  const separator = LINE_BREAK + LINE_BREAK
  const end = part.subarray(0, MAX_HEADER_BYTES).indexOf(separator)
  if (end < 0) return null
  const headers = headersOf(part.toString('utf8', 0, end))
  const disposition = headers.get('content-disposition') ?? ''
  const name = parametersOf(disposition).get('name')
  const isPlain = PLAIN.test(headers.get('content-transfer-encoding') ?? 'binary')
  if (name === undefined || !isPlain || !/^form-data\b/i.test(disposition)) return null
  return {
    name: name.replaceAll(/%(?:0D|0A|22)/g, (text) => STAND_INS[text] ?? text),
    value: part.subarray(end + separator.length),
  }
}

function headersOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(LINE_BREAK).map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}

function parametersOf(header: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(header.matchAll(PARAMETER), ([, name = '', quoted, word = '']) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\(["\\])/g, '$1') ?? word,
    ]),
  )
}
