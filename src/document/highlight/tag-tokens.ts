import type { Span } from '../xml/xml-tree.ts'
import type { Token } from './xml-scanner.ts'

const NAME = /<\/?([^\s/>]*)/y
const ATTRIBUTE = /\s*([^\s=/>"']+)\s*(?:=\s*("[^"]*"?|'[^']*'?))?|[^]/y

/** The name of a tag, its attributes and their values. */
export function tagTokens(text: string, { start, end }: Span): Token[] {
  const tag = text.slice(start, end)
  NAME.lastIndex = 0
  const name = NAME.exec(tag)?.[1] ?? ''
  const nameStart = tag.startsWith('</') ? 2 : 1
  const tokens: Token[] = [token('tag', start + nameStart, name)]
  ATTRIBUTE.lastIndex = nameStart + name.length
  for (let match = ATTRIBUTE.exec(tag); match; match = ATTRIBUTE.exec(tag)) {
    const [whole, attribute, value] = match
    const at = start + match.index
    if (attribute !== undefined) {
      tokens.push(token('attribute', at + whole.indexOf(attribute), attribute))
    }
    if (value !== undefined) tokens.push(token('value', at + whole.length - value.length, value))
  }
  return tokens
}

function token(kind: Token['kind'], start: number, text: string): Token {
  return { kind, start, end: start + text.length }
}
