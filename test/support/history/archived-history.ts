import type { Revision } from '../../../src/core/revision.ts'
import type { History } from '../../../src/history/history.ts'
import { makeArchive, type MadeArchive } from '../../../src/operations/archive/make-archive.ts'
import { restoreArchive } from '../../../src/operations/archive/restore-archive.ts'
import { TempFolder } from '../disk/temp-folder.ts'
import { documentOf, HistoryFolder, save } from './history-folder.ts'

/** A stopped history, and a place for archives beside it. */
export class ArchivedFolder extends HistoryFolder {
  readonly archives = new TempFolder()
  /** Oldest first. */
  revisions: readonly Revision[] = []

  /** A history of some saves. */
  static async of(...names: readonly string[]): Promise<ArchivedFolder> {
    const folder = new ArchivedFolder()
    const history = await folder.open()
    for (const name of names) await save(history, documentOf(name))
    folder.revisions = listed(history)
    await folder.close()
    return folder
  }

  get archive(): string {
    return this.archives.file('old.bundle')
  }

  /** Archives what is older than a revision, by its number. */
  async archiveBefore(number: number, file = this.archive): Promise<MadeArchive> {
    await this.close()
    const { time } = this.revision(number)
    return makeArchive({ file, before: time }, this.archiveOptions())
  }

  async bringBack(file = this.archive) {
    await this.close()
    return restoreArchive(file, this.archiveOptions())
  }

  /** A revision as it was before anything was archived. */
  revision(number: number): Revision {
    const found = this.revisions[number - 1]
    if (found === undefined) throw new RangeError(`There is no r${number}`)
    return found
  }

  archiveOptions() {
    const { programPath: _, ...options } = this.options()
    return { ...options, programPath: process.env['PATH'], clock: Date.now }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    this.archives[Symbol.dispose]()
  }
}

/** The revisions that a history lists, oldest first. */
export function listed(history: History): readonly Revision[] {
  return history.list({ offset: 0, limit: history.size() }).toReversed()
}
