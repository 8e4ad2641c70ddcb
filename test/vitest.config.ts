import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { LeftOutReporter } from './support/programs/left-out-reporter.ts'
import { LongestFirst } from './support/programs/longest-first.ts'
import { missingPrograms, programTags } from './support/programs/programs.ts'

/** CI names a file here and reads the counts of the run from it; it has every program that tests need. */
const REPORT = process.env.CAIRN_TEST_REPORT

const missing = missingPrograms()
const leftOut = new LeftOutReporter(missing, {
  write: (text) => process.stdout.write(text),
  mustHaveAll: REPORT !== undefined,
})

/** Files that look at their whole process: its time, memory, children or open files. */
const ALONE = [
  'test/http/hostile/documents.test.ts',
  'test/http/pages/agents.test.ts',
  'test/service/viewer-of-many.test.ts',
  'test/unit/builds/material-poller.test.ts',
  'test/unit/document/{document,schema/value-types}.test.ts',
  'test/unit/core/path-patterns.test.ts',
  'test/unit/git/cat-file-reader.test.ts',
  'test/unit/history/revision-index.test.ts',
  'test/unit/processes/starter.test.ts',
  'test/unit/security/credentials.test.ts',
]
/**
 * Files that count the time of the processor. They have room for what dies young: where it is small,
 * collecting takes eight times the work of a text that does not fit into it, and hides how that grows.
 */
const COUNTING = ['test/property/growth.test.ts']
const ROOM_FOR_YOUNG = ['--min-semi-space-size=128', '--max-semi-space-size=128']
/** All others share a process, which loads the code once. */
const TOGETHER = ['test/**/*.test.ts']

/** Left to the second step. A test has the tag or not, so that the two steps are all tests, each once. */
const LONG = { name: 'long', description: 'takes long: left out of npm test' }
/** Tests that `.ci/run` runs on other versions of Node too, although they take long. */
const NODE = { name: 'node', description: 'depends on the version of Node' }

/**
 * Takes what was read on one version of Node on the others too: their lists of Node's own modules differ, and would
 * be a part of its name. Here, each is imported as `node:…`.
 */
const sameOnEachNode: Plugin = {
  name: 'same-on-each-node',
  configResolved({ environments }) {
    Object.assign(environments['ssr']?.resolve ?? {}, { builtins: [/^node:/], external: [] })
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [sameOnEachNode],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: TOGETHER,
          exclude: [...ALONE, ...COUNTING],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      { extends: true, test: { name: 'counting', include: COUNTING, execArgv: ROOM_FOR_YOUNG } },
    ],
    globalSetup: ['test/support/disk/temp-in-memory.ts', 'test/support/programs/build-once.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The closing lines of CI have the reason of a failure and nothing else: it says all that was found.
    chaiConfig: { truncateThreshold: 0 },
    expect: { poll: { timeout: 30_000 } },
    // What was read for one run is read for the next one too, where it is still the same.
    experimental: { fsModuleCache: true },
    pool: 'forks',
    // Two more than most machines of tests have cores: half of them always wait for clocks, starts and disks.
    maxWorkers: 4,
    // Of a suite whose tests run beside each other, because they wait.
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    tags: [...programTags(missing), LONG, NODE],
    reporters: [...(REPORT ? ['default', 'json'] : ['default']), leftOut],
    ...(REPORT ? { outputFile: { json: REPORT } } : {}),
  },
})
