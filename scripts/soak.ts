// Kills a real server at random while everybody uses it. Usage: npm run soak -- [10m | 200]: minutes, or kills.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { soak } from '../test/support/soak/soak.ts'
import { buildWhenNeeded } from './build.js'

const asked = process.argv[2] ?? '10m'
const [, amount = '', unit = ''] = /^(\d+)(m?)$/.exec(asked) ?? []
if (amount === '') {
  process.stderr.write(`soak: ${asked} is neither minutes such as 10m nor a number of kills\n`)
  process.exit(2)
}

await buildWhenNeeded()
const folder = mkdtempSync(join(tmpdir(), 'cairn-soak-'))
const end = Date.now() + Number(amount) * 60_000
const goesOn = (kills: number) => (unit === 'm' ? Date.now() < end : kills < Number(amount))
const outcome = await soak({
  folder,
  goesOn,
  isFlooded: true,
  tell: (line) => process.stderr.write(`${line}\n`),
})
const isWhole = outcome.problems.length === 0
process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`)
if (isWhole) rmSync(folder, { recursive: true, force: true })
else process.stderr.write(`What is left lies in ${folder}\n`)
process.exitCode = isWhole ? 0 : 1
