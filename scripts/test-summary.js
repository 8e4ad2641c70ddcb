// Prints the closing line of a test run, `N passed, N failed, N skipped`, from vitest's JSON report.
import { readFileSync } from 'node:fs'

const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
)
process.stdout.write(
  `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`,
)
