export type ShellWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly message: string }

/** A stretch of a word: in single quotes, in double quotes, escaped, or plain. */
const PIECE = /'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|([^\s'"\\]+)/y
const SPACE = /\s+/y

/**
 * Splits a command line as a POSIX shell does, expanding nothing: single quotes
 * keep everything, double quotes and a backslash keep the next character.
 */
export function shellWords(line: string): ShellWords {
  const words: string[] = []
  let position = 0
  let word: string | null = null
  while (position < line.length) {
    const space = matchAt(SPACE, line, position)
    const piece = space ?? matchAt(PIECE, line, position)
    if (!piece) return { ok: false, message: unfinished(line.charAt(position)) }
    position += piece[0].length
    if (!space) word = `${word ?? ''}${meaningOf(piece)}`
    else if (word !== null) words.push(word)
    if (space) word = null
  }
  return { ok: true, words: word === null ? words : [...words, word] }
}

function matchAt(pattern: RegExp, line: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(line)
}

/** Inside double quotes a backslash is special only before what would be special there. */
function meaningOf([, single, double, escaped, plain]: RegExpExecArray): string {
  if (double !== undefined) return double.replace(/\\(["\\$`])/g, '$1')
  return single ?? escaped ?? plain ?? ''
}

function unfinished(character: string): string {
  if (character === '\\') return 'ends with a backslash that escapes nothing'
  return `has a ${character === '"' ? 'double' : 'single'} quote that is not closed`
}
