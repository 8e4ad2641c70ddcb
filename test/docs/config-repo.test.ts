import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Revision } from '../../src/core/revision.ts'
import type { History } from '../../src/history/history.ts'
import { inspectAsIs } from '../../src/configuration/current/validate-only.ts'
import { documentWith } from '../support/documents/documents.ts'
import { identityOf, PLAIN_GIT } from '../support/git/git.ts'
import { HistoryFolder, save } from '../support/history/history-folder.ts'
import { until } from '../support/programs/until.ts'

const README = readFileSync(
  fileURLToPath(new URL('../../config-repo/README.md', import.meta.url)),
  'utf8',
)
const EXAMPLES = [...README.matchAll(/```sh\n([\s\S]*?)\n```/g)].map((match) => match[1] ?? '')
const DAY_MS = 86_400_000
const AGENT = 'agent_5f1d_10.0.0.7_box'

const OLD = documentWith('alpha', 'beta').replace('example.org/alpha', 'old.example.org/alpha')
const MOVED = documentWith('alpha', 'beta')
const GROWN = documentWith('alpha', 'beta', 'gamma')
const NOW = documentWith('alpha', 'beta', 'gamma', 'delta')

describe('config-repo/README.md', { timeout: 60_000, tags: ['bash'] }, () => {
  let folder: HistoryFolder
  let history: History
  let revisions: readonly Revision[]
  beforeAll(async () => {
    let now = Date.now() - 70 * DAY_MS
    folder = new HistoryFolder({
      inspect: inspectAsIs,
      firstDocument: () => Buffer.from(documentWith()),
      clock: () => now,
      pollInterval: 100,
    })
    history = await folder.open()
    for (const [document, author, days] of [
      [OLD, 'ana', 60],
      [MOVED, 'bob', 20],
      [GROWN, AGENT, 12],
      [NOW, 'ana', 0],
    ] as const) {
      now = Date.now() - days * DAY_MS
      await save(history, document, author)
    }
    revisions = history.list({ offset: 0, limit: 10 })
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  /** The output of the nth command of the page, run in the folder by a shell. */
  function answerTo(number: number, replace = (command: string) => command): string {
    const command = replace(EXAMPLES[number - 1] ?? 'false')
    const env = { ...PLAIN_GIT, ...identityOf('Gil') }
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', command], {
      cwd: folder.path,
      env,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toMatchObject({ status: 0 })
    return stdout
  }

  it('has ten commands, each in one line', () => {
    expect(EXAMPLES).toHaveLength(10)
    expect(EXAMPLES.filter((example) => example.includes('\n'))).toEqual([])
  })

  it('says who has changed a pipeline, and nobody else', () => {
    const lines = answerTo(1).trim().split('\n')

    expect(lines.map((line) => / [+-]\d{4} (\w+):/.exec(line)?.[1])).toEqual(['bob', 'ana'])
  })

  it('shows the configuration as it was last Tuesday, and what has changed since', () => {
    expect(answerTo(2)).toBe(GROWN)
    expect(answerTo(3)).toContain('+    <pipeline name="delta">')
    expect(answerTo(3)).not.toContain('+    <pipeline name="gamma">')
  })

  it('says who wrote each line', () => {
    const lines = answerTo(4).trim().split('\n')

    expect(lines.find((line) => line.includes('alpha.git'))).toContain('(bob ')
    expect(lines.find((line) => line.includes('<pipeline '))).toContain('(ana ')
  })

  it('finds where a text came and went', () => {
    expect(
      answerTo(5)
        .trim()
        .split('\n')
        .map((line) => line.split(/[ :]/)[1]),
    ).toEqual(['bob', 'ana'])
  })

  it('finds a digest', () => {
    const { digest = '', commit = '' } = revisions[2] ?? {}

    const line = answerTo(6, (command) => command.replace(/[0-9a-f]{32}/, digest))

    expect(line).toMatch(new RegExp(`^${commit} bob: .*\n$`))
  })

  it('counts the changes of people lately', () => {
    expect(answerTo(7).trim().split(/\s+/)).toEqual(['1', 'ana', '1', 'bob'])
  })

  it('shows what one user has changed', () => {
    const text = answerTo(8)

    expect(text).toContain('+    <pipeline name="delta">')
    expect(text).toContain('+        <git url="https://old.example.org/alpha.git" />')
    expect(text).not.toContain('-        <git url="https://old.example.org/alpha.git" />')
  })

  it('finds the commit since which something is so, beside a service that goes on', async () => {
    const text = answerTo(9)

    expect(text).toContain(`${revisions[1]?.commit} is the first bad commit`)
    expect(history.problem()).toBeNull()
    expect(folder.git('status', '--porcelain')).toBe('')
  })

  it('makes an older configuration the current one', async () => {
    answerTo(10)

    await until(() => history.current().username === 'Filesystem')
    expect(folder.git('show', 'HEAD:config.xml')).toBe(MOVED)
    expect(folder.git('status', '--porcelain')).toBe('')
  })
})
