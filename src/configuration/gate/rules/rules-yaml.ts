import {
  Composer,
  type Document,
  type DocumentOptions,
  isScalar,
  Lexer,
  LineCounter,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  visit,
  type YAMLMap,
} from 'yaml'
import type { Problem } from '../../../core/problem.ts'

/** The YAML of a file of rules. It may still be wrong as rules. */
export interface RulesYaml {
  readonly document: Document.Parsed
  readonly lines: LineCounter
}

/** Words, signs, line ends and the space between them; a file of rules has one for every two bytes at most. */
const MAX_PARTS = 131_072
/** Rules have six levels. The library calls itself for each, and the process ends where its stack does. */
const MAX_DEPTH = 100
/** The library looks through the whole file for what an alias repeats. */
const MAX_ALIASES = 1_000
/** Faults that are named. */
const MAX_FAULTS = 100
/** By itself the library compares each key of a map with all others, and quotes the lines of each fault. */
const LINEAR = { uniqueKeys: false, prettyErrors: false } as const
const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  schema: 'core',
  version: '1.2',
  ...LINEAR,
}

/** Reads YAML in a time that grows with its length, and no deeper than rules are. */
export function readYaml(text: string): RulesYaml | readonly Problem[] {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const tokens = []
  let parts = 0
  for (const part of new Lexer().lex(text)) {
    tokens.push(...parser.next(part))
    parts += 1
    if (parts > MAX_PARTS) return [problemAt('The file has too many parts', end(parser), lines)]
    if (parser.stack.length > MAX_DEPTH) {
      return [problemAt('This is nested too deeply', end(parser), lines)]
    }
  }
  tokens.push(...parser.end())
  const [document, other] = new Composer(OPTIONS).compose(tokens, true, text.length)
  if (document === undefined) throw new Error('YAML is at least an empty document')
  const faults = [...document.errors, ...document.warnings].slice(0, MAX_FAULTS)
  const problems = faults.map(({ message, pos: [at] }) => problemAt(message, at, lines))
  if (other !== undefined) {
    problems.push(problemAt('The file has a second document', other.range[0], lines))
  }
  if (problems.length === 0) problems.push(...repetitionsIn(document, lines))
  return problems.length > 0 ? problems : { document, lines }
}

function end({ stack }: Parser): number {
  const last = stack.at(-1)
  return last !== undefined && 'offset' in last ? last.offset : 0
}

/** Keys that a map has twice, or aliases beyond their number. */
function repetitionsIn(document: Document.Parsed, lines: LineCounter): readonly Problem[] {
  const problems: Problem[] = []
  let aliases = 0
  visit(document, {
    Alias() {
      aliases += 1
    },
    Map(_key, map) {
      for (const at of repeatedKeys(map)) {
        problems.push(problemAt('Map keys must be unique', at, lines))
        if (problems.length === MAX_FAULTS) return visit.BREAK
      }
      return undefined
    },
  })
  return aliases > MAX_ALIASES ? [TOO_MANY_ALIASES] : problems
}

export const TOO_MANY_ALIASES: Problem = {
  message: 'The file repeats its anchors too often',
  line: 1,
  column: 1,
}

function repeatedKeys(map: YAMLMap): readonly number[] {
  const seen = new Set<unknown>()
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key)) return []
    const isRepeated = seen.has(key.value)
    seen.add(key.value)
    return isRepeated ? [key.range?.[0] ?? 0] : []
  })
}

function problemAt(message: string, offset: number, lines: LineCounter): Problem {
  const { line, col } = lines.linePos(offset)
  return { message, line, column: col }
}
