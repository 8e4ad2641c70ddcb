import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** CI names a file here and reads the counts of the run from it. */
const REPORT = process.env.CAIRN_TEST_REPORT

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: ['test/support/build-once.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 2,
    reporters: REPORT ? ['default', 'json'] : ['default'],
    ...(REPORT ? { outputFile: { json: REPORT } } : {}),
  },
})
