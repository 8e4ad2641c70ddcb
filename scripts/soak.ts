// Real servers while everybody uses them and faults happen to them. Usage: npm run soak -- [10m | 200]: one server, for so many
// minutes or kills; npm run soak -- servers [10m | 100]: three servers of a database, for so many minutes or faults.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FAULTS } from '../test/support/faults/faults.ts'
import { soakServers } from '../test/support/faults/servers-soak.ts'
import type { Loss } from '../test/support/faults/three-servers.ts'
import { soak } from '../test/support/soak/soak.ts'
import { buildWhenNeeded } from './build.js'

const [first = '10m', second = '10m'] = process.argv.slice(2)
const asked = first === 'servers' ? second : first
const [, amount = '', unit = ''] = /^(\d+)(m?)$/.exec(asked) ?? []
if (amount === '') {
  process.stderr.write(`soak: ${asked} is neither minutes such as 10m nor a number of faults\n`)
  process.exit(2)
}

await buildWhenNeeded()
const folder = mkdtempSync(join(tmpdir(), 'cairn-soak-'))
const end = Date.now() + Number(amount) * 60_000
let isTold = false
// Who ends it early wants to know what was found until then.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => (isTold = true))
const goesOn = (faults: number) =>
  !isTold && (unit === 'm' ? Date.now() < end : faults < Number(amount))
const tell = (line: string) => process.stderr.write(`${line}\n`)
const isWhole = first === 'servers' ? await soakThree() : await soakOne()
if (isWhole) rmSync(folder, { recursive: true, force: true })
else process.stderr.write(`What is left lies in ${folder}\n`)
process.exitCode = isWhole ? 0 : 1

async function soakOne(): Promise<boolean> {
  const outcome = await soak({ folder, goesOn, isFlooded: true, tell })
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`)
  return outcome.problems.length === 0
}

async function soakThree(): Promise<boolean> {
  const outcome = await soakServers({ folder, next: nextFault, isDiskSmall: true, tell })
  const { losses, recoveries, lost, doubled, slow, problems, ...counts } = outcome
  const figures = {
    ...counts,
    lost: lost.length,
    doubled: doubled.length,
    nextSaveAfterLoss: percentilesByName(losses, ({ nextSave }) => nextSave),
    nextBuildAfterLoss: percentilesByName(losses, ({ nextBuild }) => nextBuild),
    nextSaveAnywhereAfterFault: percentilesByName(recoveries, ({ nextSave }) => nextSave),
    nextBuildAnywhereAfterFault: percentilesByName(recoveries, ({ nextBuild }) => nextBuild),
  }
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  for (const line of [
    ...lost.map((each) => `lost: ${each}`),
    ...doubled.map((each) => `twice: ${each}`),
    ...slow.map((each) => `slow: ${each}`),
    ...problems,
  ]) {
    process.stdout.write(`${line}\n`)
  }
  return lost.length + doubled.length + problems.length === 0
}

/** Each kind in turn. */
function nextFault(faults: number) {
  return goesOn(faults) ? (FAULTS[faults % FAULTS.length] ?? null) : null
}

/** Of all, and of each kind of fault. */
function percentilesByName(losses: readonly Loss[], timeOf: (loss: Loss) => number) {
  const names = [...new Set(losses.map(({ name }) => name))]
  const byName = names.map((name) => [name, losses.filter((loss) => loss.name === name)] as const)
  const all = [['all', losses] as const, ...byName]
  return Object.fromEntries(all.map(([name, some]) => [name, percentiles(some.map(timeOf))]))
}

/** In milliseconds. */
function percentiles(times: readonly number[]) {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? null
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}
