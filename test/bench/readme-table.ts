import { readFileSync, writeFileSync } from 'node:fs'
import type { Limit, Measured, MeasuredCall } from './case.ts'

export interface Kept {
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memory: string
    readonly node: string
  }
  readonly results: readonly (Measured & { name: string; must: Limit; holds: boolean })[]
}

const LAST_RESULTS = new URL('last.json', import.meta.url)
const [BEGIN, END] = ['<!-- npm run bench -- endpoints --keep -->\n', '<!-- end -->\n']
const HEADINGS = ['call', 'small, ms', 'large, ms', 'large : small', 'large : bare Hono']

/** The latest results, on whichever machine. */
export function keptResults(): Kept {
  const kept: Kept = JSON.parse(readFileSync(LAST_RESULTS, 'utf8'))
  return kept
}

/** A table as it stands in Markdown, in the form that the formatter gives it. */
export function tableOfCalls(calls: readonly MeasuredCall[]): string {
  const rows = calls.map(({ call, small, large, bare }) => [
    `\`${call}\``,
    shown(small),
    shown(large),
    shown(large / small),
    bare === null ? '' : shown(large / bare),
  ])
  const widths = HEADINGS.map((heading, n) =>
    Math.max(heading.length, ...rows.map((row) => row[n]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, n) => padded(cell, { width: widths[n] ?? 0, isFirst: n === 0 })).join(' | ')} |\n`
  const dashes = widths.map((width, n) =>
    n === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [HEADINGS, dashes, ...rows].map(line).join('')
}

/** The table about speed in README.md. */
export function renderTable({ machine, results }: Kept): string {
  const calls = results.flatMap((result) => result.calls ?? [])
  const { cpu, cores, memory, node } = machine
  return `\nMeasured on ${cores} cores of an ${cpu}, ${memory}, Node ${node.replace(/^v/, '')}.\n\n${tableOfCalls(calls)}\n`
}

/** The part of a README between its marks. */
export function tableIn(readme: string): string {
  return readme.slice(readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END))
}

export function writeTable(file: string, kept: Kept): void {
  const readme = readFileSync(file, 'utf8')
  const before = readme.slice(0, readme.indexOf(BEGIN) + BEGIN.length)
  const after = readme.slice(readme.indexOf(END))
  writeFileSync(file, before + renderTable(kept) + after)
}

function padded(cell: string, { width, isFirst }: { width: number; isFirst: boolean }): string {
  return isFirst ? cell.padEnd(width) : cell.padStart(width)
}

function shown(value: number): string {
  return String(Number(value.toPrecision(2)))
}
