import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Checks the language of the code: first words of doc comments, names of constants, and subjects of
 * commits. Prints each fault with its place, and ends with 1 when there is any.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['src', 'test', 'scripts']
/** Older commits were written before there was a rule. */
const FIRST_COMMIT_TIME = '2026-11-27T20:00:00Z'
const MAX_SUBJECT_LENGTH = 72

export interface LanguageFault {
  readonly line: number
  readonly message: string
}

/** The faults of a source file, by line. */
export function faultsOfSource(text: string): readonly LanguageFault[] {
  return [...firstWords(text), ...constants(text)]
    .map(({ index, message }) => ({ line: text.slice(0, index).split('\n').length, message }))
    .toSorted((one, other) => one.line - other.line)
}

interface PlacedFault {
  readonly index: number
  readonly message: string
}

const DOC_COMMENT = /^[ \t]*\/\*\*[\s*]*(?<word>\w*)/gm
const PRONOUN = new RegExp(
  `^(?:${[
    'what|whatever|which|whichever|who|whoever|whom|whose',
    '(?:any|every|no|some)(?:body|one)|anything|everything|nothing|something',
    'it|they|that|this|these|those',
  ].join('|')})$`,
  'i',
)

function* firstWords(text: string): Generator<PlacedFault> {
  for (const { index, groups } of text.matchAll(DOC_COMMENT)) {
    const word = groups?.['word'] ?? ''
    if (PRONOUN.test(word))
      yield { index, message: `a comment begins with "${word}", not with a noun or a verb` }
  }
}

const CONSTANT =
  /(?:\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\s*)?^[ \t]*(?:export )?const (?<name>[A-Z][A-Z\d_]*)\b(?: = (?<value>.*))?/gm
const SUPERLATIVE =
  /(?:^|_)(?:MOST|LONGEST|LARGEST|SHORTEST|SMALLEST|LEAST|FEWEST|HIGHEST|LOWEST)(?:_|$)/
const INTERVAL = /(?:^|_)EVERY(?:_MS)?$/

function* constants(text: string): Generator<PlacedFault> {
  for (const { index, 0: all, groups } of text.matchAll(CONSTANT)) {
    const { name = '', value = '', comment = '' } = groups ?? {}
    const at = index + all.lastIndexOf(`const ${name}`)
    for (const wanted of betterNames(name, isMilliseconds(text, { name, value, comment })))
      yield { index: at, message: `the constant ${name} is to be named ${wanted}` }
  }
}

function* betterNames(name: string, isTime: boolean): Generator<string> {
  if (SUPERLATIVE.test(name)) yield 'MAX_… or MIN_…'
  if (/(?:^|_)PATIENCE(?:_|$)/.test(name)) yield '…_TIMEOUT_MS'
  if (/(?:^|_)KEPT(?:_|$)/.test(name)) yield 'MAX_… or RETAINED_…'
  if (INTERVAL.test(name)) yield '…_INTERVAL_MS'
  if (isTime && !name.endsWith('_MS')) yield '…_MS'
}

interface Constant {
  readonly name: string
  readonly value: string
  readonly comment: string
}

const IN_MILLISECONDS = /^[\s*]*milliseconds\b|\bin[\s*]+milliseconds\b/i
const NUMBER = /^[\d(][\d_.\s()*+/-]*$/
const MULTIPLE_OF_TIME = /^[\d_.\s*/]*\b[A-Z\d_]+_MS\b[\d_.\s*/]*$/
const UNIT = /^(?:A_)?(?:SECOND|MINUTE|HOUR|DAY|WEEK)$|(?:^|_)(?:TIMEOUT|INTERVAL)$/
/** Other units are named, too. */
const OTHER_UNIT = /_(?:SECONDS|MINUTES|HOURS|DAYS|BYTES)$/

/** Whether a number is a time in milliseconds, by its comment, its name, its factors or its uses. */
function isMilliseconds(text: string, { name, value, comment }: Constant): boolean {
  if (OTHER_UNIT.test(name)) return false
  if (MULTIPLE_OF_TIME.test(value)) return true
  if (!NUMBER.test(value)) return false
  return IN_MILLISECONDS.test(comment) || UNIT.test(name) || isGivenToTimer(text, name)
}

function isGivenToTimer(text: string, name: string): boolean {
  const calls = [
    String.raw`set(?:Timeout|Interval)\([^\n]*, `,
    String.raw`AbortSignal\.timeout\(`,
    String.raw`\b(?:pause|delay|wait|sleep)\(`,
    String.raw`\b(?:timeout|interval|ttl|\w+Ms): `,
    String.raw`(?:performance|Date)\.now\(\) [-+] `,
  ]
  return new RegExp(String.raw`(?:${calls.join('|')})${name}\b`).test(text)
}

const ROOM = /^[a-z][\w., -]*: /
const ARTICLES = new Set(['a', 'an', 'the'])
const PARTICIPLES = new Set(
  'built given held kept lost made sent shown taken told written'.split(' '),
)
/** Words before or in an imperative that look like a third person or a participle. */
const IMPERATIVES = new Set('alias always bias canvas embed focus shed shred'.split(' '))

/** The fault of a commit's subject; null when there is none. */
export function faultOfSubject(subject: string): string | null {
  if (subject.length > MAX_SUBJECT_LENGTH)
    return `is longer than ${MAX_SUBJECT_LENGTH} characters (${subject.length})`
  const [word = ''] = /^[a-z]+/.exec(subject.replace(ROOM, '').toLowerCase()) ?? []
  return isImperative(word) ? null : `begins with "${word}", not with an imperative`
}

function isImperative(word: string): boolean {
  if (IMPERATIVES.has(word)) return true
  if (ARTICLES.has(word) || PARTICIPLES.has(word)) return false
  const isThirdPerson = /[^s]s$/.test(word)
  const isPast = /(?<!e)ed$/.test(word)
  const isProgressive = /[aeiouy].*ing$/.test(word)
  return !isThirdPerson && !isPast && !isProgressive
}

function faultsOfCode(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => /\.(?:tsx?|js)$/.test(file))
      .flatMap((file) =>
        faultsOfSource(readFileSync(join(ROOT, file), 'utf8')).map(
          ({ line, message }) => `${file}:${line}: ${message}`,
        ),
      ),
  )
}

function faultsOfCommits(): readonly string[] {
  return recentCommits().flatMap((line) => {
    const [commit = '', ...words] = line.split(' ')
    const fault = faultOfSubject(words.join(' '))
    return fault === null ? [] : [`commit ${commit}: its subject ${fault}`]
  })
}

/** None in a copy without a history. */
function recentCommits(): readonly string[] {
  if (!existsSync(join(ROOT, '.git'))) return []
  const args = ['log', `--since=${FIRST_COMMIT_TIME}`, '--no-merges', '--format=%h %s']
  const log = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
  return log.split('\n').filter((line) => line !== '')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = [...faultsOfCode(), ...faultsOfCommits()]
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
