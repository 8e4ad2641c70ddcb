// Prints what failed in the steps of a test run, then the closing line of all of them, `N passed, N failed,
// N skipped`, from vitest's JSON reports. Each lists all tests of the files that it has: the others' as skipped.
import { readFileSync } from 'node:fs'

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')))
for (const { name, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status !== 'failed') continue
    const [reason = ''] = failureMessages.join('\n').split('\n')
    process.stdout.write(`failed: ${name}: ${fullName}: ${reason}\n`)
  }
}
const passed = sumOf(({ numPassedTests }) => numPassedTests)
const failed = sumOf(({ numFailedTests }) => numFailedTests)
const testsOfFiles = new Map(
  reports.flatMap(({ testResults }) =>
    testResults.map(({ name, assertionResults }) => [name, assertionResults.length]),
  ),
)
const all = Array.from(testsOfFiles.values()).reduce((sum, count) => sum + count, 0)
process.stdout.write(`${passed} passed, ${failed} failed, ${all - passed - failed} skipped\n`)

function sumOf(count) {
  return reports.reduce((sum, report) => sum + count(report), 0)
}
