// Prints what failed in a test run, then its closing line, `N passed, N failed, N skipped`, from
// vitest's JSON report.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
for (const { name, assertionResults } of report.testResults) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status !== 'failed') continue
    const [reason = ''] = failureMessages.join('\n').split('\n')
    process.stdout.write(`failed: ${name}: ${fullName}: ${reason}\n`)
  }
}
const { numPassedTests, numFailedTests, numPendingTests } = report
process.stdout.write(
  `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`,
)
