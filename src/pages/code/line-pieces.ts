import { findSecrets } from '../../document/secrets/find-secrets.ts'
import { markedSecretIn } from '../../document/secrets/seal-secrets.ts'
import { type TokenKind, XmlScanner } from '../../document/highlight/xml-scanner.ts'
import type { Span } from '../../document/xml/xml-tree.ts'
import type { LineRange } from '../../diff/lines.ts'
import { lineSpan, type TextLines } from '../../document/text/text-lines.ts'

/** A part of a line with uniform appearance. */
export interface Piece {
  readonly text: string
  readonly token: TokenKind | null
  readonly isSecret: boolean
  /** The hidden secret text, for callers who may decrypt it. */
  readonly hidden?: string
}

/**
 * A line as it is shown, and an identity of its secrets to compare them with those of another line.
 */
export interface ShownLine {
  readonly pieces: readonly Piece[]
  readonly secrets: string
  readonly lacksLineFeed: boolean
}

/** The text of a line as it is shown. */
export function lineText({ pieces }: Pick<ShownLine, 'pieces'>): string {
  return pieces.map(({ text }) => text).join('')
}

/** Shown in the place of a secret. */
export const HIDDEN_SECRET = '•••• hidden'
/** The same for a secret that the commit has in plain text. */
const HIDDEN_PLAIN_SECRET = '•••• hidden here, plain text in git'
/** A secret may start at most this many lines above the first shown one. */
const LOOK_BACK = 40

export interface LinePiecesOptions {
  /** Whether pieces carry the secret text that they hide. */
  readonly keepsHidden?: boolean
}

/** Cuts the lines of a document into pieces. Ranges have to be requested in ascending order. */
export class LinePieces {
  readonly #lines: TextLines
  readonly #keepsHidden: boolean
  readonly #scanner: XmlScanner

  constructor(lines: TextLines, { keepsHidden = false }: LinePiecesOptions = {}) {
    this.#lines = lines
    this.#keepsHidden = keepsHidden
    this.#scanner = new XmlScanner(lines.text)
  }

  of(range: LineRange): ShownLine[] {
    if (range.start >= range.end) return []
    const { text, starts } = this.#lines
    const start = starts[range.start] ?? 0
    const end = starts[range.end] ?? text.length
    const tokens = this.#scanner.tokens({ start, end })
    const secrets = this.#secretsOf(range)
    const cursor = { token: 0, secret: 0 }
    return Array.from({ length: range.end - range.start }, (_, n) => {
      const line = lineSpan(this.#lines, range.start + n)
      const inLine = {
        tokens: within(tokens, line, cursor, 'token'),
        secrets: within(secrets, line, cursor, 'secret'),
      }
      return this.#shown(line, inLine, range.start + n)
    })
  }

  /** The texts alone of the lines as they are shown, in a fraction of the time. */
  textsOf(range: LineRange): string[] {
    const { text } = this.#lines
    const all = this.#secretsOf(range)
    const cursor = { token: 0, secret: 0 }
    return Array.from({ length: Math.max(0, range.end - range.start) }, (_, n) => {
      const line = lineSpan(this.#lines, range.start + n)
      const secrets = within(all, line, cursor, 'secret')
      if (secrets.length === 0) return text.slice(line.start, line.end)
      return lineText({ pieces: cutLine(text, line, { tokens: [], secrets, keepsHidden: false }) })
    })
  }

  #secretsOf(range: LineRange): readonly Span[] {
    const { text, starts } = this.#lines
    const from = starts[Math.max(0, range.start - LOOK_BACK)] ?? 0
    const end = starts[range.end] ?? text.length
    return findSecrets(text.slice(from, end)).map((secret) => moved(secret, from))
  }

  #shown(
    line: Span,
    { tokens, secrets }: { tokens: readonly Marked[]; secrets: readonly Span[] },
    number: number,
  ): ShownLine {
    const { text, starts } = this.#lines
    const isLast = number === starts.length - 2
    return {
      pieces: cutLine(text, line, { tokens, secrets, keepsHidden: this.#keepsHidden }),
      secrets: secrets.map(({ start, end }) => text.slice(start, end)).join('\0'),
      lacksLineFeed: isLast && !text.endsWith('\n'),
    }
  }
}

interface Marked extends Span {
  readonly kind: TokenKind
}

function moved({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by }
}

/**
 * The spans that intersect a line, cut to it. The cursor holds where the search for the next line
 * starts.
 */
function within<Kind extends Span>(
  spans: readonly Kind[],
  line: Span,
  cursor: { token: number; secret: number },
  which: 'token' | 'secret',
): Kind[] {
  const found: Kind[] = []
  while ((spans[cursor[which]]?.end ?? Infinity) <= line.start) cursor[which] += 1
  for (let n = cursor[which]; n < spans.length; n++) {
    const span = spans[n]
    if (!span || span.start >= line.end) break
    found.push({
      ...span,
      start: Math.max(span.start, line.start),
      end: Math.min(span.end, line.end),
    })
  }
  return found
}

interface InLine {
  readonly tokens: readonly Marked[]
  readonly secrets: readonly Span[]
  readonly keepsHidden: boolean
}

function cutLine(text: string, line: Span, { tokens, secrets, keepsHidden }: InLine): Piece[] {
  const edges = [line, ...tokens, ...secrets].flatMap(({ start, end }) => [start, end])
  const places = [...new Set(edges)].toSorted((one, other) => one - other)
  const pieces: Piece[] = []
  let secretAt = -1
  for (const [n, start] of places.slice(0, -1).entries()) {
    const end = places[n + 1] ?? start
    const token = tokens.find((each) => each.start <= start && end <= each.end)?.kind ?? null
    const secretIndex = secrets.findIndex((each) => each.start <= start && end <= each.end)
    const secret = secrets[secretIndex]
    if (!secret) pieces.push({ text: text.slice(start, end), token, isSecret: false })
    else if (secretIndex !== secretAt) {
      pieces.push(hiddenPiece(text.slice(secret.start, secret.end), keepsHidden))
    }
    secretAt = secretIndex
  }
  return pieces
}

function hiddenPiece(secret: string, keepsHidden: boolean): Piece {
  const marked = markedSecretIn(secret.trim())
  return {
    text: marked === null ? HIDDEN_SECRET : HIDDEN_PLAIN_SECRET,
    token: null,
    isSecret: true,
    ...(keepsHidden ? { hidden: marked ?? secret } : {}),
  }
}
