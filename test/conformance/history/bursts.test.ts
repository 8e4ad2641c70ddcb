// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import { fastImport, gitBeside } from '../../support/git/fast-import.ts'
import { identityOf, PLAIN_GIT } from '../../support/git/git.ts'
import type { Prepare } from '../../../src/history/revision/prepared-change.ts'
import {
  change,
  documentOf,
  HistoryFolder,
  inspect,
  preparingBy,
  save,
} from '../../support/history/history-folder.ts'
import { eventually, usernamesOf } from './following.ts'

/** How many bursts there are; CAIRN_BURSTS=1000 for a long look. */
const ROUNDS = Number(process.env.CAIRN_BURSTS ?? 10)
const COMMITS = 30
const MIN_POLL_INTERVAL_MS = 10
const TIMEOUT = { timeout: 60_000 + ROUNDS * 1000 }

describe('native moves of the branch in quick succession', () => {
  let folder: HistoryFolder
  let history: History
  beforeEach(async () => {
    folder = new HistoryFolder({ pollInterval: MIN_POLL_INTERVAL_MS })
    history = await folder.open()
  })
  afterEach(() => folder[Symbol.asyncDispose]())

  /** The live file has followed, and nothing but what others did is in the history. */
  async function expectFollowed(newest: string): Promise<void> {
    await eventually(() => expect(folder.live()).toBe(documentOf(newest)))
    await change(history, 'nobody', async () => null)
    expect(usernamesOf(history)).not.toContain('Filesystem')
    expect(folder.git('show', 'HEAD:config.xml')).toBe(documentOf(newest))
    await eventually(() => expect(folder.complaints()).toBe(''))
  }

  it('by fast-import are followed, and never taken back', TIMEOUT, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await fastImport(folder.path, documentsOf(`${round}`))
    }

    await expectFollowed(`${ROUNDS - 1}.${COMMITS - 1}`)
    expect(history.size()).toBe(1 + ROUNDS * COMMITS)
  })

  it('by fast-import to a history beside the one before are followed too', TIMEOUT, async () => {
    const base = folder.git('rev-parse', 'HEAD').trim()
    for (let round = 0; round < ROUNDS; round += 1) {
      await fastImport(folder.path, documentsOf(`${round}`), { from: base })
    }

    await expectFollowed(`${ROUNDS - 1}.${COMMITS - 1}`)
    expect(history.size()).toBe(1 + COMMITS)
  })

  it('by update-ref are followed, one commit at a time', TIMEOUT, async () => {
    const ref = 'refs/heads/prepared'
    await fastImport(folder.path, documentsOf('prepared'), { ref })
    for (const commit of folder.git('rev-list', '--reverse', 'main..prepared').trim().split('\n')) {
      await gitBeside(folder.path, ['update-ref', 'refs/heads/main', commit])
    }

    await expectFollowed(`prepared.${COMMITS - 1}`)
    expect(history.size()).toBe(1 + COMMITS)
  })

  it(
    'with documents that are not valid among them leave the newest valid one',
    TIMEOUT,
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await fastImport(folder.path, [documentOf(`valid ${round}`), `<cruise ${round}`])
      }

      await eventually(() => expect(folder.live()).toBe(documentOf(`valid ${ROUNDS - 1}`)))
      await eventually(() => expect(history.problem()).toMatchObject({ kind: 'commit' }))
      expect(usernamesOf(history)).not.toContain('Filesystem')
      await history[Symbol.asyncDispose]()
      await fastImport(folder.path, [documentOf('after the stop')])
      history = await folder.open()
      await expectFollowed('after the stop')
    },
  )

  it('by commits in the work tree never bring back an older document', TIMEOUT, async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      folder.write(documentOf(`round ${round}`))
      // The service may be quicker, so that there is nothing to commit, or keep the branch.
      await Promise.allSettled([gitBeside(folder.path, ['commit', '-qam', `${round}`])])
    }

    await eventually(() => expect(folder.git('status', '--porcelain')).toBe(''))
    const commits = folder.git('rev-list', '--reverse', 'HEAD').trim().split('\n')
    const rounds = commits.map((commit) =>
      Number(/round (\d+)/.exec(folder.git('show', `${commit}:config.xml`))?.[1] ?? 0),
    )
    expect(rounds).toEqual(rounds.toSorted((one, other) => one - other))
    expect(rounds.at(-1)).toBe(ROUNDS)
  })

  it(
    'without a pause let every save through in the end',
    { ...TIMEOUT, tags: ['long'] },
    async () => {
      await folder.close()
      history = await folder.open({ prepare: prepareSlowly })
      const loop = spawn('sh', ['-c', COMMIT_LOOP], { cwd: folder.path, env: LOOP_ENVIRONMENT })
      const ended = once(loop, 'close')
      onTestFinished(() => void loop.kill('SIGKILL'))
      await eventually(() => expect(history.size()).toBeGreaterThan(3))

      for (const name of ['one', 'two', 'three']) await save(history, documentOf(name))

      loop.kill('SIGTERM')
      await ended
      expect(usernamesOf(history).filter((name) => name === 'ana')).toHaveLength(3)
      await expectFollowed('three')
    },
  )

  it('do not hide an edit that puts an old document back', async () => {
    await save(history, documentOf('two'))
    await fastImport(folder.path, documentsOf('burst'))
    await eventually(() => expect(folder.live()).toBe(documentOf(`burst.${COMMITS - 1}`)))

    for (const old of ['two', 'burst.3', `burst.${COMMITS - 1}`]) {
      folder.write(documentOf(old))
      await eventually(() => expect(history.current()).toMatchObject({ username: 'Filesystem' }))
      await eventually(() => expect(folder.git('show', 'HEAD:config.xml')).toBe(documentOf(old)))
    }
  })
})

/** Takes as long as a document of some megabytes. */
const prepareSlowly: Prepare = async (...asked) => {
  await delay(100)
  return preparingBy(inspect)(...asked)
}

/** Commits the document that is there, again and again, unless the branch has moved meanwhile. */
const COMMIT_LOOP = `while :; do
  head=$(git rev-parse main)
  commit=$(echo Native | git commit-tree -p "$head" "$head^{tree}")
  git update-ref refs/heads/main "$commit" "$head" 2>/dev/null
done`
const LOOP_ENVIRONMENT = { ...PLAIN_GIT, ...identityOf('native') }

function documentsOf(name: string): string[] {
  return Array.from({ length: COMMITS }, (_, n) => documentOf(`${name}.${n}`))
}
