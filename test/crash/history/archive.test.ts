// @module-tag long
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { CommitSha } from '../../../src/core/revision.ts'
import { openArchiveTarget } from '../../../src/history/archive/archive-target.ts'
import { finishMoving, moveOut } from '../../../src/history/archive/move-out.ts'
import { makeArchive } from '../../../src/operations/archive/make-archive.ts'
import { restoreArchive } from '../../../src/operations/archive/restore-archive.ts'
import { FaultyFs } from '../../support/disk/faulty-fs.ts'
import { ArchivedFolder, listed } from '../../support/history/archived-history.ts'

/** Takes r1 and r2 out of a history, as a call does whose file is complete; again where it was cut off. */
async function take(folder: ArchivedFolder, disk?: FaultyFs): Promise<void> {
  const options = disk ? { fs: disk.promises } : {}
  await using target = await openArchiveTarget({ ...folder.archiveOptions(), ...options })
  if (target.parts.length > 0) return finishMoving(target)
  const [last, boundary] = [folder.revision(2).commit, [folder.revision(3).commit]]
  const time = Date.now() + 60_000
  const part = { sha256: '0'.repeat(64), time, revisions: 2, commits: 2, last, boundary }
  const isArchived = (commit: CommitSha) =>
    folder.revisions.slice(0, 2).some((revision) => revision.commit === commit)
  await moveOut(target, { part, isArchived, forgotten: [], unnamed: [] })
}

it('leaves all of the history or what stays, wherever the power goes, and goes on then', async () => {
  await using template = await ArchivedFolder.of('two', 'three')
  const outcomes: number[] = []
  for (let isDone = false; !isDone;) {
    await using folder = copyOf(template)
    const disk = new FaultyFs({ cutAfter: outcomes.length, loss: 'names' })

    const [{ status }] = await Promise.allSettled([take(folder, disk)])
    await disk.cut()

    const left = listed(await folder.open())
    expect([template.revisions, template.revisions.slice(2)]).toContainEqual(left)
    await folder.close()
    const isNews = left.length !== outcomes.at(-1)
    outcomes.push(left.length)
    isDone = status === 'fulfilled'
    if (!isNews && !isDone) continue
    await take(folder)
    expect(listed(await folder.open())).toEqual(template.revisions.slice(2))
    expect(folder.complaints()).toBe('')
  }

  expect(new Set(outcomes)).toEqual(new Set([3, 1]))
  expect(outcomes.length).toBeGreaterThan(20)
})

it('leaves no part of a file under its name, and takes a whole one that a crash has left', async () => {
  await using template = await ArchivedFolder.of('two', 'three')
  const seen = new Set<boolean>()
  for (let cutAfter = 0; !seen.has(true); cutAfter += 1) {
    await using folder = copyOf(template)
    const disk = new FaultyFs({ cutAfter, loss: 'names' })
    const before = folder.revision(3).time
    const options = { ...folder.archiveOptions(), fs: disk.promises }

    const cut = makeArchive({ file: folder.archive, before }, options)
    await expect(cut).rejects.toThrow('The power is gone')
    await disk.cut()

    const isThere = existsSync(folder.archive)
    const written = isThere ? readFileSync(folder.archive) : null
    seen.add(isThere)
    expect(listed(await folder.open())).toEqual(template.revisions)
    await folder.archiveBefore(3)
    const complete = readFileSync(folder.archive)
    expect((written ?? complete).equals(complete)).toBe(true)
    expect(listed(await folder.open())).toEqual(template.revisions.slice(2))
  }
  expect(seen).toEqual(new Set([false, true]))
})

it('brings all of an archive back or nothing, wherever the power goes, and goes on then', async () => {
  await using template = await ArchivedFolder.of('two', 'three')
  const later = template.archives.file('later.bundle')
  await template.archiveBefore(2)
  await template.archiveBefore(3, later)
  const outcomes: number[] = []
  for (let isDone = false; !isDone;) {
    await using folder = copyOf(template)
    const disk = new FaultyFs({ cutAfter: outcomes.length, loss: 'nothing' })
    const options = { ...folder.archiveOptions(), fs: disk.promises }

    const [{ status }] = await Promise.allSettled([restoreArchive(later, options)])
    await disk.cut()

    const left = listed(await folder.open())
    expect(left).toEqual(template.revisions.slice(3 - left.length))
    const isNews = left.length !== outcomes.at(-1)
    outcomes.push(left.length)
    isDone = status === 'fulfilled'
    if (!isNews && !isDone) continue
    if (left.length === 1) await folder.bringBack(later)
    await folder.bringBack(template.archive)
    expect(listed(await folder.open())).toEqual(template.revisions)
    expect(folder.complaints()).toBe('')
  }

  expect(new Set(outcomes)).toEqual(new Set([1, 2]))
  expect(outcomes.at(-1)).toBe(2)
})

function copyOf(template: ArchivedFolder): ArchivedFolder {
  const folder = new ArchivedFolder()
  cpSync(template.path, folder.path, { recursive: true })
  folder.revisions = template.revisions
  return folder
}
