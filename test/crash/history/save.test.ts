// @module-tag long
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import { unsyncedFs } from '../../support/disk/unsynced-fs.ts'
import { FaultyFs, LOSSES, type Loss } from '../../support/disk/faulty-fs.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { changesIn, faultsIn } from '../../support/history/whole-repository.ts'
import { atEnd, shared } from '../../support/programs/at-end.ts'
import { casesOf } from '../../support/programs/all-cases.ts'

interface Attempt {
  /** Done once; each cut is made in a copy. */
  readonly prepare: (folder: HistoryFolder) => Promise<void>
  /** Returns once the change is acknowledged. */
  readonly run: (folder: HistoryFolder, fs: FaultyFs) => Promise<unknown>
  /** Changes of others to the repository before the next start. */
  readonly meanwhile?: (folder: HistoryFolder) => Promise<void>
  /** The version of the next start, where it is another one. */
  readonly nextVersion?: string
  /** Every history that may be found afterwards, newest first. The first is the acknowledged one. */
  readonly allowed: readonly [readonly string[], ...(readonly string[])[]]
}

/** Git is a process for each of its questions: it judges every so many cuts, and the last. */
const BY_GIT = casesOf({ all: 1, mostly: 6 })
/** The live file differs from HEAD and from the index, which are the same. */
const EDITED = 'config.xml 1 2 1'
const UNTRACKED = ' 0 2 0'
const INVALID = '<cruise'

const open = (folder: HistoryFolder, fs: FaultyFs) => folder.open({ fs: fs.promises })
const openAndSave = async (folder: HistoryFolder, fs: FaultyFs) =>
  save(await open(folder, fs), documentOf('two'))

const openAndSaveAll =
  (names: readonly string[]) => async (folder: HistoryFolder, fs: FaultyFs) => {
    const history = await open(folder, fs)
    const saved = await Promise.allSettled(names.map((name) => save(history, documentOf(name))))
    expect(new Set(saved.map(({ status }) => status)).size).toBe(1)
    if (saved[0]?.status === 'rejected') throw saved[0].reason
  }

async function prepareWith(folder: HistoryFolder, edit: string): Promise<void> {
  await folder.open()
  await folder.close()
  folder.write(edit)
}

/** The branch has a newer commit, and the live file has not been brought there. */
async function prepareBehind(folder: HistoryFolder): Promise<void> {
  await folder.open()
  await folder.close()
  const pushed = folder.commit(documentOf('two'))
  folder.git('reset', '--quiet', '--hard', 'HEAD~1')
  folder.git('update-ref', 'HEAD', pushed)
}

/** The branch moves on, and the live file stays as the power cut has left it. */
async function moveOn(folder: HistoryFolder): Promise<void> {
  folder.remove('.git/refs/heads/main.lock')
  await fastImport(folder.path, [documentOf('next')])
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'the first commit of a new repository': {
    prepare: async () => {},
    run: open,
    allowed: [['first']],
  },
  'a save': {
    prepare: (folder) => prepareWith(folder, documentOf('first')),
    run: openAndSave,
    allowed: [['two', 'first'], ['first']],
  },
  'a save, before an upgrade': {
    prepare: (folder) => prepareWith(folder, documentOf('first')),
    run: openAndSave,
    nextVersion: '2.0.0',
    allowed: [['two', 'first'], ['first']],
  },
  'a group of three saves': {
    prepare: (folder) => prepareWith(folder, documentOf('first')),
    run: openAndSaveAll(['two', 'three', 'four']),
    allowed: [['four', 'three', 'two', 'first'], ['first']],
  },
  'a group of five saves, whose objects are a pack': {
    prepare: (folder) => prepareWith(folder, documentOf('first')),
    run: openAndSaveAll(['two', 'three', 'four', 'five', 'six']),
    allowed: [['six', 'five', 'four', 'three', 'two', 'first'], ['first']],
  },
  'a save over an edit that is not valid': {
    prepare: (folder) => prepareWith(folder, INVALID),
    run: openAndSave,
    allowed: [['two', 'first'], ['first']],
  },
  'the start after a push that was cut': {
    prepare: prepareBehind,
    run: async (folder, fs) => save(await open(folder, fs), documentOf('three')),
    allowed: [
      ['three', 'two', 'first'],
      ['two', 'first'],
    ],
  },
  'the start after a push that was cut, while another one comes': {
    prepare: prepareBehind,
    run: async (folder, fs) => save(await open(folder, fs), documentOf('three')),
    meanwhile: moveOn,
    allowed: [
      ['next', 'three', 'two', 'first'],
      ['next', 'two', 'first'],
    ],
  },
  'an edit on disk with a secret': {
    prepare: (folder) => prepareWith(folder, documentOf('svn password="s3cret"')),
    run: open,
    allowed: [['svn encryptedPassword="sealed"', 'first']],
  },
}

interface Aftermath {
  readonly folder: HistoryFolder
  /** Changes to the disk before the cut. */
  readonly cut: number
  readonly isAcknowledged: boolean
  /** Whether git judges what is left, and not only isomorphic-git. */
  readonly isForGit: boolean
}

interface Sweep {
  readonly attempt: Attempt
  readonly prepared: HistoryFolder
  readonly loss: Loss
  /** The first change that is tried. */
  readonly first: number
  /** The interval of tried changes; 1 tries them all. */
  readonly step: number
}

/** A folder whose history goes on in time where its template has ended. */
function newFolder(): HistoryFolder {
  const defaults = { programPath: null, fs: unsyncedFs, pollInterval: 50 }
  return new HistoryFolder({ ...defaults, clock: () => (now += 1000) })
}
let now = 1_700_000_000_000

/** Cuts the power after one change to the disk after the other, and shows what is left. */
async function sweep(
  { attempt, prepared, loss, first, step }: Sweep,
  check: (aftermath: Aftermath) => Promise<void>,
): Promise<number> {
  for (let cut = first; ; cut += step) {
    await using folder = newFolder()
    folder.copy(prepared)
    const fs = new FaultyFs({ cutAfter: cut, loss })
    const [outcome] = await Promise.allSettled([attempt.run(folder, fs)])
    const isOver = !fs.isCut
    await fs.cut()
    await folder.close()
    const isForGit = isOver || ((cut - first) / step) % BY_GIT === 0
    await check({ folder, cut, isAcknowledged: outcome.status === 'fulfilled', isForGit })
    if (isOver) return cut
  }
}

async function namesIn(history: History): Promise<string[]> {
  const revisions = history.list({ offset: 0, limit: 10 })
  const documents = await Promise.all(revisions.map((each) => history.readDocument(each)))
  return documents.map((each) => Buffer.from(each).toString().split('\n')[1]?.trim() ?? '')
}

/** The files that the log has said to be kept. */
function keptFiles({ events }: HistoryFolder): string[] {
  return events.flatMap((message) => /is kept as (\S+)$/.exec(message)?.[1] ?? [])
}

function stepOf(name: string, loss: Loss): number {
  if (name.endsWith('another one comes')) return 9
  if (name.startsWith('the start')) return 4
  if (name === 'a group of three saves') return 9
  if (name.startsWith('a group of five saves')) return 7
  if (name.endsWith('before an upgrade')) return 3
  if (name.startsWith('a save over') && loss === 'names') return 2
  if (name !== 'a save' || loss === 'nothing') return 9
  return loss === 'names' ? 1 : 5
}

describe.each(Object.entries(ATTEMPTS))('a power cut during %s', (name, attempt) => {
  const prepared = shared(async () => {
    const folder = newFolder()
    atEnd(() => folder[Symbol.asyncDispose]())
    await attempt.prepare(folder)
    await folder.close()
    return folder
  })

  it.each(LOSSES)(
    'leaves the old or the new history when the disk loses %s',
    { timeout: 600_000 },
    async (loss) => {
      const step = casesOf({ all: 1, mostly: stepOf(name, loss) })
      // Each kind of loss begins elsewhere, so that together they try more of the changes.
      const first = LOSSES.indexOf(loss) % step
      const sweeping = { attempt, prepared: prepared(), loss, first, step }
      const cuts = await sweep(sweeping, async (aftermath) => {
        const { folder, cut, isAcknowledged, isForGit } = aftermath
        for (const kept of keptFiles(folder)) expect(readFileSync(kept, 'utf8')).toBe(INVALID)
        await attempt.meanwhile?.(folder)
        const { nextVersion: serverVersion } = attempt
        const survivor = await folder.open(serverVersion === undefined ? {} : { serverVersion })

        const names = await namesIn(survivor)
        const isEdited = folder.live() === INVALID
        const { allowed } = attempt
        expect(isAcknowledged ? [allowed[0]] : allowed, `${cut}`).toContainEqual(names)
        expect([documentOf(names[0] ?? ''), INVALID]).toContain(folder.live())
        const changes = await changesIn(folder.path)
        const tracked = changes.filter((change) => !change.endsWith(UNTRACKED))
        expect(tracked, `${cut}`).toEqual(isEdited ? [EDITED] : [])
        const status = isEdited ? ' M config.xml\n' : ''
        const asked = ['status', '--porcelain', '--untracked-files=no']
        expect(isForGit ? folder.git(...asked) : status, `${cut}`).toBe(status)
        await save(survivor, documentOf('after'))
        expect(await namesIn(survivor), `${cut}`).toEqual(['after', ...names])
        expect(folder.live()).toBe(documentOf('after'))
        expect(await changesIn(folder.path), `${cut}`).toEqual([])
        expect(await faultsIn(folder.path), `${cut}`).toEqual([])
        expect(isForGit ? folder.complaints() : '', `${cut}`).toBe('')
      })

      expect(cuts).toBeGreaterThan(20)
    },
  )
})
