import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { BenchCase, Limit, Measured } from './case.ts'
import { keptResults, tableOfCalls, writeTable } from './readme-table.ts'

const HERE = dirname(fileURLToPath(import.meta.url))
const OUTPUT = join(HERE, '../output/bench.json')
const LAST_RESULTS = join(HERE, 'last.json')
const README = join(HERE, 'README.md')

interface Result extends Measured {
  readonly name: string
  readonly must: Limit
  readonly holds: boolean
}

/** Runs the cases whose names contain one of the words, or all. The exit code is 1 when a limit does not hold. */
export async function bench(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, keep: { type: 'boolean' } },
  })
  const quick = values.quick ?? false
  const cases = (await allCases()).filter(({ name }) => isAskedFor(name, positionals))
  const results: Result[] = []
  for (const each of cases) {
    const result = await measured(each, quick)
    process.stdout.write(rowOf(result) + (result.calls ? tableOfCalls(result.calls) : ''))
    results.push(result)
    if (values.keep) keep(result)
  }
  if (values.keep) writeTable(README, keptResults())
  const report = `${JSON.stringify({ machine: machine(), quick, results }, null, 2)}\n`
  mkdirSync(dirname(OUTPUT), { recursive: true })
  writeFileSync(OUTPUT, report)
  return results.length > 0 && results.every((result) => result.holds) ? 0 : 1
}

/** The cases of every `*.bench.ts` in this folder. */
async function allCases(): Promise<BenchCase[]> {
  const files = readdirSync(HERE).filter((file) => file.endsWith('.bench.ts'))
  const modules = await Promise.all(
    files.map(async (file): Promise<{ cases: readonly BenchCase[] }> => import(`./${file}`)),
  )
  return modules.flatMap(({ cases }) => cases)
}

function isAskedFor(name: string, words: readonly string[]): boolean {
  return words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()))
}

async function measured({ name, must, measure }: BenchCase, quick: boolean): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'))
  try {
    const result = await measure({ quick, folder })
    return { name, must, ...result, holds: isWithin(result.value, must) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Replaces what was kept of the same case, so that a long bench can be run in pieces. */
function keep(result: Result): void {
  const others = keptResults().results.filter(({ name }) => name !== result.name)
  const all = [...others, result].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  writeFileSync(LAST_RESULTS, `${JSON.stringify({ machine: machine(), results: all }, null, 2)}\n`)
}

function isWithin(value: number, { atMost = Infinity, atLeast = -Infinity }: Limit): boolean {
  return value <= atMost && value >= atLeast
}

function rowOf({ name, must, value, facts = {}, holds: good }: Result): string {
  const limit = must.atMost === undefined ? `>= ${must.atLeast}` : `<= ${must.atMost}`
  const row = [
    good ? 'ok    ' : 'MISSED',
    name.padEnd(58),
    shown(value).padStart(9),
    `${limit} ${must.unit}`.padEnd(22),
    Object.entries(facts)
      .map(([fact, amount]) => `${fact} ${shown(amount)}`)
      .join(', '),
  ]
  return `${row.join('  ')}\n`
}

function shown(value: number | string): string {
  return typeof value === 'string' ? value : String(Number(value.toPrecision(3)))
}

function machine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
  }
}
