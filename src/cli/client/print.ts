import { spawnSync } from 'node:child_process'
import { mayColour, pagerCommand, pagerEnvironment } from '../../settings/environment.ts'
import { say } from '../output.ts'

/** Characters by which a text of the server could move the cursor, or turn the text around it. */
const CONTROLS = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const COLOURS = { bold: 1, red: 31, green: 32, yellow: 33, cyan: 36 } as const

/** A line of output, with its colour on a terminal. */
export interface PrintedLine {
  readonly text: string
  readonly colour?: keyof typeof COLOURS
  /** Whether a terminal shows what fits of it. */
  readonly isCut?: boolean
}

/** Prints lines: on a terminal with colours, and through the pager where they are more than it shows. */
export function printLines(lines: readonly (PrintedLine | string)[]): void {
  const { stdout } = process
  const plain = lines.map((line) => (typeof line === 'string' ? { text: line } : line))
  const shown = plain.flatMap((line) => shownOf(line))
  if (!stdout.isTTY || shown.length < (stdout.rows ?? 0) || !isPaged(shown)) {
    for (const line of shown) say(line)
  }
}

/** Prints a text as it came, without a line of its own at the end. */
export function printText(text: string): void {
  if (process.stdout.isTTY) printLines(text.replace(/\n$/, '').split('\n'))
  else process.stdout.write(text)
}

export function printJson(value: unknown): void {
  say(JSON.stringify(value, null, 2))
}

function shownOf({ text, colour, isCut = false }: PrintedLine): readonly string[] {
  const { stdout } = process
  return text.split('\n').map((part) => {
    const safe = part.replaceAll(CONTROLS, '\uFFFD')
    const { columns } = stdout
    const cut = isCut && stdout.isTTY && safe.length > columns
    const fitting = cut ? `${safe.slice(0, columns - 1)}…` : safe
    if (colour === undefined || !stdout.isTTY || !mayColour()) return fitting
    return `\u001B[${COLOURS[colour]}m${fitting}\u001B[0m`
  })
}

/** False where there is no pager. */
function isPaged(lines: readonly string[]): boolean {
  const command = pagerCommand()
  if (command === '') return false
  const { error } = spawnSync('sh', ['-c', command], {
    input: `${lines.join('\n')}\n`,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...pagerEnvironment() },
  })
  return error === undefined
}
