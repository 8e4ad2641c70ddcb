import { execFile } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CommandName } from '../../src/cli/usage.ts'
import { rootFile } from '../support/programs/root-file.ts'
import { mayHaveTestsOf } from '../support/programs/steps.ts'

/** A test below `test` that goes one way through the product as people do, with its programs. */
interface Path {
  readonly file: string
  readonly test: string
}

type Around = 'a tour' | 'a kill' | 'two servers' | 'a page in a browser'

/** The tests that `npm test` has to run, whatever else it leaves to `npm run test:all`. */
const PATHS: Readonly<Record<CommandName | Around, Path>> = {
  serve: { file: 'e2e/launch.test.ts', test: 'starts in an empty folder' },
  agent: { file: 'e2e/builds.test.ts', test: 'builds a git repository, streams its console' },
  'agent invite': { file: 'e2e/invitations.test.ts', test: 'prints what lets one agent in' },
  archive: { file: 'e2e/archive.test.ts', test: 'archives by its command' },
  audit: { file: 'e2e/audit-command.test.ts', test: 'prints the log of a service that runs' },
  backup: { file: 'e2e/backup.test.ts', test: 'saves a running service, which is served again' },
  'check-push': {
    file: 'http/git/push.test.ts',
    test: 'is a revision by the author of the commit',
  },
  doctor: { file: 'e2e/import.test.ts', test: 'leaves nothing for the doctor' },
  import: { file: 'e2e/import.test.ts', test: 'goes on where it was killed' },
  report: { file: 'service/report.test.ts', test: 'has who asked for a change' },
  restore: { file: 'e2e/backup.test.ts', test: 'saves a running service, which is served again' },
  secrets: { file: 'e2e/secrets.test.ts', test: 'seals every secret by a new key' },
  state: { file: 'e2e/commands.test.ts', test: 'dumps, checks and loads the store' },
  token: { file: 'e2e/tokens.test.ts', test: 'makes, lists and revokes tokens' },
  user: { file: 'e2e/launch.test.ts', test: 'adds, lists and removes users' },
  verify: { file: 'e2e/archive.test.ts', test: 'archives by its command' },
  completion: { file: 'e2e/completion.test.ts', test: 'completes words' },
  history: { file: 'http/client/reading.test.ts', test: 'list revisions with number' },
  show: { file: 'http/client/reading.test.ts', test: 'show a revision in words' },
  diff: { file: 'http/client/reading.test.ts', test: 'compare revisions in lines' },
  blame: { file: 'http/client/reading.test.ts', test: 'name the revision that wrote each line' },
  search: { file: 'http/client/reading.test.ts', test: 'find where a text came or went' },
  plan: { file: 'http/client/changing.test.ts', test: 'plan a file, in words' },
  save: { file: 'http/client/changing.test.ts', test: 'save what began from a revision' },
  rollback: { file: 'http/client/changing.test.ts', test: 'take one revision back' },
  undo: { file: 'http/client/changing.test.ts', test: 'take one revision back' },
  propose: { file: 'http/client/changing.test.ts', test: 'propose entities, and approve' },
  approve: { file: 'http/client/changing.test.ts', test: 'propose entities, and approve' },
  rules: { file: 'http/client/changing.test.ts', test: 'try rules on the history' },
  runs: { file: 'http/client/running.test.ts', test: 'lists runs with' },
  why: { file: 'http/client/running.test.ts', test: 'says what changed since' },
  'a tour': { file: 'docs/readme.test.ts', test: 'has examples that all work' },
  'a kill': { file: 'e2e/builds.test.ts', test: 'goes on when the server is killed' },
  'two servers': {
    file: 'e2e/servers/serving.test.ts',
    test: 'go on when the leader is lost',
  },
  'a page in a browser': { file: 'e2e/pages/frame.test.ts', test: 'searches from every page' },
}

const Listed = z.array(z.object({ name: z.string(), file: z.string() }))

/** The tests in some files that `npm test` leaves out, as vitest itself finds them. */
async function leftOutOf(files: readonly string[]) {
  const vitest = rootFile('node_modules/vitest/vitest.mjs')
  const args = [
    'list',
    '--config',
    'test/vitest.config.ts',
    '--json',
    '--static-parse',
    '--tags-filter',
    'long',
  ]
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    TMPDIR: process.env['TMPDIR'],
  }
  const options = { cwd: rootFile(''), env, maxBuffer: 2 ** 24 }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [vitest, ...args, ...files],
    options,
  )
  return Listed.parse(JSON.parse(stdout))
}

describe('the two steps of the tests', () => {
  it('are those without the tag `long`, and those with it', () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(rootFile('package.json'), 'utf8')))
    const all = 'vitest run --config test/vitest.config.ts'

    expect(scripts).toMatchObject({ test: `${all} --tags-filter '!long'`, 'test:all': all })
    expect(readFileSync(rootFile('.ci/run'), 'utf8')).toMatch(
      /npm run (?:--silent )?test:all -- --tags-filter long\b/,
    )
  })

  it('load no file without a test of theirs, and one of them each file', () => {
    const wholly = "// @module-tag long\nit('goes', go)"
    const partly = "it('goes', { tags: ['git', 'long'] }, go)"
    const never = "it('takes long', go)"
    const steps = ['!long', 'long', '!long || node']

    expect(
      [wholly, partly, never].map((text) => steps.map((step) => mayHaveTestsOf(step, text))),
    ).toEqual([
      [false, true, true],
      [true, true, true],
      [true, false, true],
    ])
  })

  it('are told apart by a tag that no test has from another file', () => {
    const files = readdirSync(rootFile('test'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'vitest.config.ts',
    )
    const tagging = files.filter((file) =>
      /\btags:[^\n]*'long'/.test(readFileSync(rootFile(`test/${file}`), 'utf8')),
    )

    expect(tagging).toEqual([])
  })

  it('have a path through every command and what is around them in the first', async () => {
    const paths = Object.values(PATHS)
    const there = paths.filter(({ file, test }) => {
      const path = rootFile(`test/${file}`)
      return existsSync(path) && readFileSync(path, 'utf8').includes(`'${test}`)
    })
    const files = [...new Set(paths.map(({ file }) => `test/${file}`))]
    const leftOut = await leftOutOf(files)

    expect(there).toEqual(paths)
    expect(
      paths.filter(({ file, test }) =>
        leftOut.some((other) => other.file.endsWith(file) && other.name.includes(test)),
      ),
    ).toEqual([])
  })
})
