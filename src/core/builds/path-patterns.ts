/** `folders` is any number of folders with the slash behind them, also none. */
type Token = 'any' | 'any-in-folder' | 'folders' | 'one-in-folder' | { readonly text: string }

const WILDCARDS = /(\*\*\/(?:\*\*\/)*|\*{2,}|\*|\?)/

/** Whether a file is one of those that the filter of a material ignores. */
export function isIgnored(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => fitsPattern(file, pattern))
}

/**
 * Whether a pattern fits a path, or a name. Patterns are as Ant has them: `*` and `?` stay in one
 * folder, `**` goes through any number of them. Both begin at one root, whether a slash says so or not.
 */
export function fitsPattern(path: string, pattern: string): boolean {
  return matches(fromRoot(path), tokensOf(fromRoot(pattern)))
}

function fromRoot(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\/+/, '')
}

function tokensOf(pattern: string): Token[] {
  return pattern.split(WILDCARDS).flatMap((piece): Token[] => {
    if (piece === '*') return ['any-in-folder']
    if (piece === '?') return ['one-in-folder']
    if (piece.startsWith('**')) return [piece.endsWith('/') ? 'folders' : 'any']
    return Array.from(piece, (text) => ({ text }))
  })
}

/** All ways through the pattern at once, so that no pattern takes long. */
function matches(path: string, tokens: readonly Token[]): boolean {
  let places = entered(tokens, 0)
  for (const character of path) {
    const next = new Set<number>()
    for (const place of places) {
      for (const reached of after(tokens, place, character)) next.add(reached)
    }
    places = next
  }
  return places.has(tokens.length)
}

/** A place in the pattern and all that can be reached from it without a character. */
function entered(tokens: readonly Token[], place: number): Set<number> {
  const places = new Set([place])
  for (let at = place; isSkippable(tokens[at]); at += 1) places.add(at + 1)
  return places
}

function isSkippable(token: Token | undefined): boolean {
  return token === 'any' || token === 'any-in-folder' || token === 'folders'
}

function after(tokens: readonly Token[], place: number, character: string): Iterable<number> {
  const token = tokens[place]
  if (token === undefined) return []
  if (token === 'any') return entered(tokens, place)
  if (token === 'folders') {
    return character === '/' ? [place, ...entered(tokens, place + 1)] : [place]
  }
  if (token === 'any-in-folder') return character === '/' ? [] : entered(tokens, place)
  const fits = token === 'one-in-folder' ? character !== '/' : token.text === character
  return fits ? entered(tokens, place + 1) : []
}
