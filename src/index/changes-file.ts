import nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { PartReader } from '../storage/part-reader.ts'
import { checkedLines, renderCheckedLine } from '../lib/checked-lines.ts'
import {
  parseRevisionChanges,
  renderRevisionChanges,
  type RevisionChanges,
} from './revision-changes.ts'

/** Raise this when the description of changes, or the examination of revisions, changes. */
const FORMAT = 'cairn changes 4'
/** Lines that are written at once. */
const BATCH = 200

/**
 * What revisions changed, a line each, in any order. Each line is true for ever, because it names
 * both commits; nothing waits for it to be durable, and lost lines are computed again.
 */
export class ChangesFile {
  readonly #path: string
  #isWhole = false

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Yields the entries up to the first damaged line, one part of the file after the other; none when
   * the file is absent or has another format.
   */
  async *load(): AsyncGenerator<RevisionChanges, void> {
    const file = await orNullWhenAbsent(nodeFs.open(this.#path))
    if (file === null) return
    await using reader = new PartReader(file)
    const format = await reader.line()
    if (format?.toString() !== renderCheckedLine(FORMAT)) return
    for (let line = await reader.line(); line !== null; line = await reader.line()) {
      const [checked] = checkedLines(line)
      const changes = checked === undefined ? null : parseRevisionChanges(checked.body.toString())
      if (changes === null) return
      yield changes
    }
    this.#isWhole = reader.isSpent
  }

  /** Appends to the file, or rewrites it with `all` when it is damaged. */
  async write(
    added: readonly RevisionChanges[],
    all: () => Iterable<RevisionChanges>,
  ): Promise<void> {
    const mayAppend = this.#isWhole
    this.#isWhole = false
    if (mayAppend) await nodeFs.appendFile(this.#path, added.map(renderRevisionChanges).join(''))
    else await this.#replace(all())
    this.#isWhole = true
  }

  /** What is written when something stops this half way is true, too. */
  async #replace(all: Iterable<RevisionChanges>): Promise<void> {
    await nodeFs.mkdir(dirname(this.#path), { recursive: true })
    await replaceFile(this.#path, renderCheckedLine(FORMAT))
    let lines: string[] = []
    for (const changes of all) {
      if (lines.push(renderRevisionChanges(changes)) < BATCH) continue
      await nodeFs.appendFile(this.#path, lines.join(''))
      lines = []
    }
    await nodeFs.appendFile(this.#path, lines.join(''))
  }
}
