import nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { replaceFile } from '../../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { checkedLines, renderCheckedLine } from '../../lib/checked-lines.ts'
import {
  parseRevisionChanges,
  renderRevisionChanges,
  type RevisionChanges,
} from './revision-changes.ts'

/** To be raised when the same two documents are told in other words, or looked at for something else. */
const FORMAT = 'cairn changes 2'
/** Lines that are read before others get a turn. */
const BATCH = 200

/**
 * What revisions changed, a line each, in any order. Each line is true for ever, because it names
 * both commits; nothing waits for it to be durable, and what is lost is found out again.
 */
export class ChangesFile {
  readonly #path: string
  #isWhole = false

  constructor(path: string) {
    this.#path = path
  }

  /** What is in the file up to the first damaged line; nothing when it is absent or of another form. */
  async load(): Promise<RevisionChanges[]> {
    const bytes = (await orNullWhenAbsent(nodeFs.readFile(this.#path))) ?? Buffer.alloc(0)
    const found: RevisionChanges[] = []
    let end = 0
    for (const line of checkedLines(bytes)) {
      if (end === 0 && line.body.toString() !== FORMAT) return []
      if (end > 0) {
        if (found.length % BATCH === 0) await nextTurn()
        const told = parseRevisionChanges(line.body.toString())
        if (told === null) return found
        found.push(told)
      }
      end = line.end
    }
    this.#isWhole = end > 0 && end === bytes.length
    return found
  }

  /** Adds to the file, or writes it anew with `all` when it cannot be added to. */
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

  async #replace(all: Iterable<RevisionChanges>): Promise<void> {
    await nodeFs.mkdir(dirname(this.#path), { recursive: true })
    const lines = Array.from(all, renderRevisionChanges)
    await replaceFile(this.#path, renderCheckedLine(FORMAT) + lines.join(''))
  }
}
