import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DiffPool } from '../../src/diff/diff-pool.ts'
import { unifiedDiff } from '../../src/diff/unified.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { Dice, documentLines, edited } from './documents.ts'
import { costInRounds, costOf, interleaved } from './measure.ts'

interface Pair {
  readonly before: Buffer
  readonly after: Buffer
}

const NEIGHBOURS = pairOf(110_000, (lines) =>
  lines.with(700, '          <task id="x" />\n').toSpliced(2000, 1),
)
const FAR_APART = pairOf(110_000, (lines) =>
  edited(edited(lines, 600, new Dice(2)), 600, new Dice(3)),
)

export const cases: readonly BenchCase[] = [
  {
    name: 'diff: neighbours of a 110 KB document',
    must: { atMost: 1, unit: 'ms of CPU' },
    measure: ({ quick }) => cpuOfDiff(NEIGHBOURS, { rounds: quick ? 3 : 15, times: 100 }),
  },
  {
    name: 'diff: 110 KB documents that have little in common',
    must: { atMost: 6, unit: 'ms of CPU' },
    measure: ({ quick }) => cpuOfDiff(FAR_APART, { rounds: quick ? 3 : 15, times: 20 }),
  },
  {
    name: 'diff: 1 MB with a tenth of its lines changed',
    must: { atMost: 10, unit: 'times git diff' },
    measure: againstGit,
  },
  {
    name: 'diff: two unrelated texts of 10 MB',
    must: { atMost: 2, unit: 's of CPU' },
    measure: async (run) => {
      const { cpu, wall } = await largeDiff(run)
      return { value: cpu / 1000, facts: { 'wall, s': wall / 1000 } }
    },
  },
  {
    name: 'diff: memory of the process after two unrelated texts of 10 MB',
    must: { atMost: 1000, unit: 'MB' },
    measure: async (run) => ({ value: (await largeDiff(run)).memory }),
  },
  {
    name: 'diff: longest pause of the event loop beside such a diff',
    must: { atMost: 100, unit: 'ms' },
    measure: async (run) => ({ value: (await largeDiff(run)).pause }),
  },
]

async function cpuOfDiff({ before, after }: Pair, rounds: { rounds: number; times: number }) {
  const { cpu, wall } = await costInRounds(() => unifiedDiff(before, after), rounds)
  return { value: cpu, facts: { wall, 'bytes of diff': unifiedDiff(before, after).length } }
}

async function againstGit({ quick, folder }: BenchRun) {
  const { before, after } = pairOf(quick ? 100_000 : 1_000_000, (lines) =>
    edited(lines, 100, new Dice(4)),
  )
  writeFileSync(join(folder, 'before'), before)
  writeFileSync(join(folder, 'after'), after)
  const costs = await interleaved(
    {
      ours: () => unifiedDiff(before, after),
      git: () =>
        spawnSync('git', ['diff', '--no-index', '--text', 'before', 'after'], { cwd: folder }),
    },
    { rounds: quick ? 3 : 9, times: 10 },
  )
  const ours = costs.get('ours')?.cpu ?? NaN
  const git = costs.get('git')?.cpu ?? NaN
  return { value: ours / git, facts: { 'ms of CPU': ours, 'git, ms of CPU': git } }
}

/** The cost of a diff in a thread, the largest memory of this process so far, and its longest pause. */
async function largeDiff({ quick }: BenchRun) {
  const size = quick ? 1_000_000 : 10_000_000
  const before = Buffer.from(documentLines(size, new Dice(5)).join(''))
  const after = Buffer.from(documentLines(size, new Dice(6)).join(''))
  await using pool = new DiffPool()
  await pool.unified(before.subarray(0, 500_000), after.subarray(0, 500_000))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const { cpu, wall } = await costOf(() => pool.unified(before, after), 1)
  delay.disable()
  return { cpu, wall, pause: delay.max / 1e6, memory: process.resourceUsage().maxRSS / 1000 }
}

function pairOf(bytes: number, edit: (lines: string[]) => string[]): Pair {
  const lines = documentLines(bytes, new Dice(1))
  return { before: Buffer.from(lines.join('')), after: Buffer.from(edit(lines).join('')) }
}
