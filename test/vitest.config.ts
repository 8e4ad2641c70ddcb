import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { MissingProgramsReporter } from './support/programs/missing-programs-reporter.ts'
import { missingPrograms, programTags } from './support/programs/programs.ts'

/** CI names a file here and reads the counts of the run from it; it has every program that tests need. */
const REPORT = process.env.CAIRN_TEST_REPORT

const missing = missingPrograms()
const missingReporter = new MissingProgramsReporter(missing, {
  write: (text) => process.stdout.write(text),
  mustHaveAll: REPORT !== undefined,
})

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: ['test/support/programs/build-once.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 2,
    tags: programTags(missing),
    reporters: [...(REPORT ? ['default', 'json'] : ['default']), missingReporter],
    ...(REPORT ? { outputFile: { json: REPORT } } : {}),
  },
})
