import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import { verifyRepository } from '../../../src/history/upkeep/verify.ts'
import { FaultyFs, LOSSES } from '../../support/disk/faulty-fs.ts'
import { change, documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { unsyncedFs } from '../../support/disk/unsynced-fs.ts'

const INVALID = '<cruise\n'
const INDEX = '.git/cairn/revisions'

/** A repository with the history that is open on it. */
class Walk {
  readonly folder: HistoryFolder
  history: History
  #documents = 0

  constructor(folder: HistoryFolder, history: History) {
    this.folder = folder
    this.history = history
  }

  /** A document that never was before. */
  document(): string {
    this.#documents += 1
    return documentOf(`document ${this.#documents}`)
  }

  back(steps: number): string {
    const depth = Number(this.folder.git('rev-list', '--count', '--first-parent', 'HEAD'))
    return `HEAD~${Math.min(steps, depth - 1)}`
  }

  async reopen(): Promise<void> {
    this.history = await this.folder.reopen()
  }
}

function merge(walk: Walk, fork: string): void {
  const { folder } = walk
  folder.git('checkout', '--quiet', '-B', 'side', fork)
  folder.commit(walk.document(), 'On the side')
  folder.git('checkout', '--quiet', '-')
  folder.git('merge', '--quiet', '--no-ff', '--strategy=ours', '-m', 'Merge', 'side')
}

async function cutPower(walk: Walk, { cutAfter, loss }: { cutAfter: number; loss: number }) {
  await walk.folder.close()
  const disk = new FaultyFs({ cutAfter, loss: LOSSES[loss] ?? 'names' })
  const saving = async () =>
    save(await walk.folder.open({ fs: disk.promises }), walk.document(), 'cut')
  await Promise.allSettled([saving()])
  await disk.cut()
  await walk.reopen()
}

async function harmIndex(walk: Walk, harm: (file: string) => void) {
  await walk.folder.close()
  const file = walk.folder.file(INDEX)
  if (existsSync(file)) harm(file)
  await walk.reopen()
}

function overwrite(file: string, place: number): void {
  const bytes = readFileSync(file)
  bytes.write('garbage', place % bytes.length)
  writeFileSync(file, bytes)
}

interface Step {
  readonly name: string
  readonly take: (walk: Walk) => unknown
}

function always(name: string, take: Step['take']): fc.Arbitrary<Step> {
  return fc.constant({ name, take, toString: () => name })
}

function varied<Choice>(
  name: string,
  choices: fc.Arbitrary<Choice>,
  take: (walk: Walk, choice: Choice) => unknown,
): fc.Arbitrary<Step> {
  return choices.map((choice) => ({
    name,
    take: (walk) => take(walk, choice),
    toString: () => `${name} ${JSON.stringify(choice)}`,
  }))
}

const steps = fc.nat(4)
const place = fc.nat(5000)
const cut = fc.record({ cutAfter: fc.nat(60), loss: fc.nat(LOSSES.length - 1) })

/** The steps that may happen to a repository. */
const step = fc.oneof(
  always('save', (walk) => save(walk.history, walk.document())),
  always('refused save', (walk) => Promise.allSettled([save(walk.history, INVALID)])),
  always('edit', (walk) => walk.folder.write(walk.document())),
  always('invalid edit', (walk) => walk.folder.write(INVALID)),
  always('commit', (walk) => walk.folder.commit(walk.document())),
  always('invalid commit', (walk) => walk.folder.commit(`${INVALID}${walk.document()}x`)),
  always('empty commit', (walk) => walk.folder.git('commit', '--allow-empty', '-qm', 'Empty')),
  always('amend', (walk) => {
    walk.folder.write(walk.document())
    walk.folder.git('commit', '--quiet', '--all', '--amend', '--no-edit')
  }),
  always('amended message', (walk) => walk.folder.git('commit', '--amend', '-qm', 'Amended')),
  always('gc', (walk) => walk.folder.git('gc', '--quiet', '--prune=now')),
  always('reopen', (walk) => walk.reopen()),
  varied('reset', place, (walk, nth) => {
    const commits = walk.folder.git('rev-list', 'HEAD').trim().split('\n')
    walk.folder.git('reset', '-q', '--hard', commits[nth % commits.length] ?? 'HEAD')
  }),
  varied('merge', steps, (walk, back) => merge(walk, walk.back(back))),
  varied('power cut', cut, cutPower),
  varied('torn index', place, (walk, at) => harmIndex(walk, (file) => truncateSync(file, at))),
  varied('overwritten index', place, (walk, at) => harmIndex(walk, (file) => overwrite(file, at))),
  always('grown index', (walk) => harmIndex(walk, (file) => appendFileSync(file, '12345678 {'))),
)

/** Takes a step. Git may refuse one, as it does over an edit that it would lose. */
async function walkOn(walk: Walk, { take }: Step): Promise<void> {
  try {
    await take(walk)
  } catch (error) {
    const isRefusal = error instanceof Error && /^git \S+ ended with \d/.test(error.message)
    if (!isRefusal) throw error
  }
}

function validCommits({ folder }: Walk): string[] {
  const commits = folder.git('log', '--date-order', '--format=%H').trim().split('\n')
  return commits.filter((commit) => {
    const document = folder.git('show', `${commit}:config.xml`)
    return document.startsWith('<cruise schema') && document.endsWith('</cruise>\n')
  })
}

/** The revisions, each with its nearest ancestors by git. */
function lineage(walk: Walk): object[] {
  const valid = new Set(validCommits(walk))
  const lines = walk.folder.git('log', '--date-order', '--format=%H %P').trim().split('\n')
  const parents = new Map(lines.map((line) => [line.slice(0, 40), line.split(' ').slice(1)]))
  const revisionFrom = (commit: string | undefined): string[] => {
    if (commit === undefined) return []
    return valid.has(commit) ? [commit] : revisionFrom(parents.get(commit)?.find(Boolean))
  }
  return [...valid].map((commit) => {
    const bases = (parents.get(commit) ?? []).filter(Boolean).flatMap(revisionFrom)
    return { commit, bases: [...new Set(bases)] }
  })
}

const numRuns = Number(process.env.CAIRN_WALKS ?? 6)

describe('the index', () => {
  it(
    'is what reading the history anew gives, and what git log says, whatever happened',
    { timeout: numRuns * 60_000, tags: ['long'] },
    async () => {
      const walks = fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 10 }),
        async (all) => {
          await using folder = new HistoryFolder({ fs: unsyncedFs, pollInterval: 1000 })
          const walk = new Walk(folder, await folder.open())

          for (const each of all) {
            await walkOn(walk, each)
            await change(walk.history, 'walk', async () => null)
            const report = await verifyRepository(folder.options())
            expect(report.problems, `after ${each.name}`).toEqual([])
            expect(report.revisions, `after ${each.name}`).toBe(walk.history.size())
          }

          const listed = walk.history.list({ offset: 0, limit: 1000 }).map(({ commit }) => commit)
          expect(listed).toEqual(validCommits(walk))
          const bases = listed.map((commit) => ({
            commit,
            bases: walk.history.basesOf({ commit }),
          }))
          expect(bases).toEqual(lineage(walk))
          await save(walk.history, walk.document())
          expect(folder.complaints()).toBe('')
        },
      )
      await fc.assert(walks, { numRuns, endOnFailure: true })
    },
  )
})
