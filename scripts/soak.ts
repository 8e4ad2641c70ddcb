// Kills a real server under load many times over. Usage: npm run soak -- [kills]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killRepeatedly } from '../test/support/kill-repeatedly.ts'
import { buildWhenNeeded } from './build.js'

const KILLS = Number(process.argv[2] ?? 200)

buildWhenNeeded()
const folder = mkdtempSync(join(tmpdir(), 'cairn-soak-'))
const outcome = await killRepeatedly({ folder, kills: KILLS, savers: 4 })
rmSync(folder, { recursive: true, force: true })
process.stdout.write(`${JSON.stringify({ kills: KILLS, ...outcome }, null, 2)}\n`)
const whole = outcome.lost.length === 0 && outcome.fsck === '' && outcome.status === ''
process.exitCode = whole ? 0 : 1
