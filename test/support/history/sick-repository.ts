import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ObjectFormatName } from '../../../src/core/object-name.ts'
import { type Examination, examineRepository } from '../../../src/history/doctor/examine.ts'
import { documentOf, HistoryFolder, save } from './history-folder.ts'

export function states({ findings }: Examination): string[] {
  return findings.map(({ state }) => state)
}

/** Puts a file of other content in the place of one that may be read-only. */
export function damage(path: string, content = ''): void {
  rmSync(path, { force: true })
  writeFileSync(path, content)
}

/** The names of the files that were moved aside. */
export function quarantinedNames({ quarantineFolder }: Examination): string[] {
  const all = readdirSync(quarantineFolder ?? '', { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** A repository with a few revisions that no service runs on, to be damaged and repaired. */
export class SickRepository implements AsyncDisposable {
  readonly folder: HistoryFolder
  /** Its revisions while it was whole. */
  before: unknown

  private constructor(objectFormat: ObjectFormatName) {
    this.folder = new HistoryFolder({ objectFormat })
  }

  static async open(objectFormat: ObjectFormatName = 'sha1'): Promise<SickRepository> {
    const sick = new SickRepository(objectFormat)
    const history = await sick.folder.open()
    for (const name of ['one', 'two', 'three']) await save(history, documentOf(name))
    sick.before = history.list({ offset: 0, limit: 9 })
    await sick.folder.close()
    return sick
  }

  examine(repair: boolean, ...sources: string[]): Promise<Examination> {
    return examineRepository({
      ...this.folder.options(),
      repair,
      sources,
      log: null,
      clock: Date.now,
    })
  }

  repair(...sources: string[]): Promise<Examination> {
    return this.examine(true, ...sources)
  }

  inGit(...path: string[]): string {
    return join(this.folder.path, '.git', ...path)
  }

  line(...args: string[]): string {
    return this.folder.git(...args).trim()
  }

  /** The file of a loose object. */
  objectOf(name: string): string {
    const oid = this.line('rev-parse', name)
    return this.inGit('objects', oid.slice(0, 2), oid.slice(2))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.folder[Symbol.asyncDispose]()
  }
}

/** Expects the repository as it was: for the service, and for git. */
export async function expectWhole(sick: SickRepository): Promise<void> {
  const { folder, before } = sick
  const history = await folder.open()
  expect(history.list({ offset: 0, limit: 9 })).toEqual(before)
  expect(history.problem()).toBeNull()
  await save(history, documentOf('after'))
  await folder.close()
  expect(folder.complaints()).toBe('')
  expect((await sick.examine(false)).findings).toEqual([])
}
