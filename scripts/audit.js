// Asks the registry for known weaknesses of what the service runs with; one that cannot be asked is told, and no failure.
import { spawnSync } from 'node:child_process'

const args = ['audit', '--omit=dev', '--json']
const { stdout } = spawnSync('npm', args, { encoding: 'utf8', timeout: 120_000 })
const report = reportIn(stdout)
const found = report?.metadata?.vulnerabilities?.total

if (found === undefined) {
  process.stdout.write(`audit: could not ask the registry: ${report?.message ?? 'no answer'}\n`)
} else {
  process.stdout.write(`audit: ${found} known weaknesses in what the service runs with\n`)
  for (const [name, { severity }] of Object.entries(report.vulnerabilities ?? {})) {
    process.stdout.write(`audit: ${name}: ${severity}\n`)
  }
}
process.exitCode = found > 0 ? 1 : 0

function reportIn(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
