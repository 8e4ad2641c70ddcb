import type { Span } from '../xml/xml-tree.ts'
import { WholeElements } from './whole-elements.ts'

export type TokenKind = 'tag' | 'attribute' | 'value' | 'comment'

/** A part of a text that has a colour of its own. */
export interface Token extends Span {
  readonly kind: TokenKind
}

/** An element that is open at some place: its name and its opening tag. */
export interface OpenElement {
  readonly name: string
  readonly tag: Span
}

/** A tag, or what is between two. */
export interface Construct extends Span {
  readonly kind: 'text' | 'aside' | 'cdata' | 'open' | 'close'
}

const SPACE = 32
const SLASH = 47
const LESS = 60
const GREATER = 62
const DOUBLE_QUOTE = 34
const SINGLE_QUOTE = 39

/**
 * Scans a text once, from front to back, for its tokens and open elements. It accepts any text,
 * well-formed or not, and reads each character about once.
 */
export class XmlScanner {
  readonly #text: string
  readonly #open: OpenElement[] = []
  readonly #wholes: WholeElements
  #at = 0
  /** The last construct with tokens, which may reach into the next range. */
  #last: readonly Token[] = []

  constructor(text: string) {
    this.#text = text
    this.#wholes = new WholeElements(text)
  }

  /** The tokens of a range, in order. Ranges are asked for from front to back. */
  tokens({ start, end }: Span): Token[] {
    const tokens = this.#last.filter((each) => each.end > start)
    this.skipTo(start)
    while (this.#at < end) {
      const construct = this.#next()
      if (construct.end <= start) continue
      this.#last = this.#tokensOf(construct)
      for (const each of this.#last) tokens.push(each)
    }
    return tokens.filter((each) => each.start < end)
  }

  /** The elements that are open at a place, and the one whose tag is there, outermost first. */
  openAt(place: number): readonly OpenElement[] {
    this.skipTo(place)
    const { kind, start, end } = constructAt(this.#text, this.#at)
    if (kind !== 'open' || start > place) return [...this.#open]
    return [...this.#open, { name: nameAt(this.#text, start + 1), tag: { start, end } }]
  }

  /** Skips to the construct at a place. */
  skipTo(place: number): void {
    while (this.#at < place) {
      const construct = constructAt(this.#text, this.#at)
      if (construct.end > place) return
      const end = construct.kind === 'open' ? this.#endOfWhole(construct) : null
      if (end !== null && end <= place) this.#at = end
      else this.#take(construct)
    }
  }

  #endOfWhole(construct: Construct): number | null {
    if (this.#text.charCodeAt(construct.end - 2) === SLASH) return null
    return this.#wholes.endOf(tagNameOf(this.#text, construct), construct)
  }

  #next(): Construct {
    const construct = constructAt(this.#text, this.#at)
    this.#take(construct)
    return construct
  }

  #take({ kind, start, end }: Construct): void {
    this.#at = end
    if (kind === 'open' && this.#text.charCodeAt(end - 2) !== SLASH) {
      this.#open.push({ name: nameAt(this.#text, start + 1), tag: { start, end } })
    }
    if (kind !== 'close') return
    const name = nameAt(this.#text, start + 2)
    const place = this.#open.findLastIndex((element) => element.name === name)
    if (place !== -1) this.#open.length = place
  }

  #tokensOf({ kind, start, end }: Construct): Token[] {
    if (kind === 'aside') return [{ kind: 'comment', start, end }]
    return kind === 'open' || kind === 'close' ? tagTokens(this.#text, { start, end }) : []
  }
}

/** The construct that begins at a place. */
export function constructAt(text: string, start: number): Construct {
  if (text.charCodeAt(start) !== LESS) {
    const next = text.indexOf('<', start)
    return { kind: 'text', start, end: next === -1 ? Math.max(text.length, start + 1) : next }
  }
  if (text.startsWith('<!--', start)) return upTo(text, { kind: 'aside', start, last: '-->' })
  if (text.startsWith('<![CDATA[', start)) return upTo(text, { kind: 'cdata', start, last: ']]>' })
  if (text.startsWith('<?', start)) return upTo(text, { kind: 'aside', start, last: '?>' })
  const kind = text.charCodeAt(start + 1) === SLASH ? 'close' : 'open'
  return { kind, start, end: endOfTag(text, start + 1) }
}

function upTo(
  text: string,
  { kind, start, last }: { kind: Construct['kind']; start: number; last: string },
): Construct {
  const place = text.indexOf(last, start + 2)
  return { kind, start, end: place === -1 ? text.length : place + last.length }
}

/** A tag without an end ends where the next one begins. */
function endOfTag(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === GREATER) return at + 1
    if (code === LESS) return at
    if (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE) continue
    const close = text.indexOf(code === DOUBLE_QUOTE ? '"' : "'", at + 1)
    if (close === -1) return text.length
    at = close
  }
  return text.length
}

export function tagNameOf(text: string, { kind, start }: Construct): string {
  return nameAt(text, start + (kind === 'close' ? 2 : 1))
}

function nameAt(text: string, start: number): string {
  let end = start
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code <= SPACE || code === SLASH || code === GREATER || code === LESS) break
  }
  return text.slice(start, end)
}

const NAME = /<\/?([^\s/>]*)/y
const ATTRIBUTE = /([^\s=/>"']+)\s*(?:=\s*("[^"]*"?|'[^']*'?))?|\s+|[^]/y

/** The name of a tag, its attributes and their values. */
function tagTokens(text: string, { start, end }: Span): Token[] {
  const tag = text.slice(start, end)
  NAME.lastIndex = 0
  const name = NAME.exec(tag)?.[1] ?? ''
  const nameStart = tag.startsWith('</') ? 2 : 1
  const tokens: Token[] = [token('tag', start + nameStart, name)]
  ATTRIBUTE.lastIndex = nameStart + name.length
  for (let match = ATTRIBUTE.exec(tag); match; match = ATTRIBUTE.exec(tag)) {
    const [whole, attribute, value] = match
    const at = start + match.index
    if (attribute !== undefined) tokens.push(token('attribute', at, attribute))
    if (value !== undefined) tokens.push(token('value', at + whole.length - value.length, value))
  }
  return tokens
}

function token(kind: Token['kind'], start: number, text: string): Token {
  return { kind, start, end: start + text.length }
}
