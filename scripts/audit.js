// Asks the registry for known weaknesses of what the service runs with; one that cannot be asked is told, and no failure.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { packages } = readJson('../package-lock.json')
/** The folders of the packages that the build has put into the program. */
const bundled = new Set(readJson('../dist/packages.json').map(({ folder }) => folder))
const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', timeout: 120_000 })
const report = reportIn(stdout)

if (report?.vulnerabilities === undefined) {
  process.stdout.write(`audit: could not ask the registry: ${report?.message ?? 'no answer'}\n`)
} else {
  const found = Object.entries(report.vulnerabilities).filter(([, { nodes }]) => nodes.some(isRun))
  process.stdout.write(`audit: ${found.length} known weaknesses in what the service runs with\n`)
  for (const [name, { severity }] of found) process.stdout.write(`audit: ${name}: ${severity}\n`)
  process.exitCode = found.length > 0 ? 1 : 0
}

function isRun(folder) {
  return bundled.has(folder) || packages[folder]?.dev !== true
}

function readJson(file) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
}

function reportIn(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
