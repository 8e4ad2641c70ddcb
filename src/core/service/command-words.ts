/** The words of a command line, or the reason why it has none, as the end of a sentence. */
export type CommandWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly message: string }

interface Grammar {
  /** A stretch of a word: in single quotes, in double quotes, escaped, or plain. */
  readonly piece: RegExp
  /** Whether a shell would interpret unquoted characters. */
  readonly isForShell: boolean
}

const SHELL: Grammar = {
  piece: /'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|((?:[^\s'"\\|&;<>()$`]|\$(?!\())+)/y,
  isForShell: true,
}
const QUOTED: Grammar = { piece: /'([^']*)'|"([^"]*)"|(?!)()|([^\s'"]+)/y, isForShell: false }

const SPACE = /\s+/y
const OPERATOR = /&&|\|[|&]?|;;|<<[-<]?|[<>]&|<>|>[>|]|\$\(|[&;<>()`]/y
const LINE_BREAK = /[\r\n]/

/**
 * Splits a command line as a POSIX shell does, expanding nothing: single quotes
 * keep everything, double quotes and a backslash keep the next character. The command runs without
 * a shell, so that operators outside quotes are refused.
 */
export function shellWords(line: string): CommandWords {
  return splitWords(line.trim(), SHELL)
}

/**
 * Splits the text of several arguments. Both kinds of quotes preserve the text between them, and a
 * backslash is an ordinary character, as in Windows paths.
 */
export function quotedWords(text: string): CommandWords {
  return splitWords(text, QUOTED)
}

/** A part of such a text that is read as it is, whatever is in it. */
export function quotedWord(text: string): string {
  const pieces = text.match(/[^']+|'+/g) ?? []
  return pieces.map((piece) => (piece.startsWith("'") ? `"${piece}"` : `'${piece}'`)).join('')
}

/** A text in quotes, as one word of a POSIX shell, whatever it contains. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The same without quotes where it needs none. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : shellQuote(text)
}

function splitWords(line: string, { piece: pattern, isForShell }: Grammar): CommandWords {
  const words: string[] = []
  let position = 0
  let word: string | null = null
  while (position < line.length) {
    const space = matchAt(SPACE, line, position)
    const piece = space ?? matchAt(pattern, line, position)
    if (isForShell && space && LINE_BREAK.test(space[0])) return refusal('a line break')
    if (!piece) return refusalAt(line, position)
    position += piece[0].length
    if (!space) word = `${word ?? ''}${meaningOf(piece, isForShell)}`
    else if (word !== null) words.push(word)
    if (space) word = null
  }
  return { ok: true, words: word === null ? words : [...words, word] }
}

function matchAt(pattern: RegExp, line: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(line)
}

/** Inside double quotes of a shell, a backslash is special only before a special character. */
function meaningOf([, single, double, escaped, plain]: RegExpExecArray, isForShell: boolean) {
  if (double === undefined) return single ?? escaped ?? plain ?? ''
  return isForShell ? double.replace(/\\(["\\$`])/g, '$1') : double
}

function refusalAt(line: string, position: number): CommandWords {
  const operator = matchAt(OPERATOR, line, position)
  if (operator) return refusal(`the shell operator ${operator[0]}`)
  const character = line.charAt(position)
  if (character === '\\')
    return { ok: false, message: 'ends with a backslash that escapes nothing' }
  const kind = character === '"' ? 'double' : 'single'
  return { ok: false, message: `has a ${kind} quote that is not closed` }
}

function refusal(what: string): CommandWords {
  const way = "put it in quotes, or hand the line to a shell: sh -c 'one && two'"
  return { ok: false, message: `has ${what} outside quotes, and no shell runs it; ${way}` }
}
