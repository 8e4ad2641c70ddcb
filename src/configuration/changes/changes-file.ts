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

/** Raise this when the description of changes, or the examination of revisions, changes. */
const FORMAT = 'cairn changes 2'
/** Lines that are read before the event loop gets control. */
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

  /** The entries up to the first damaged line; none when the file is absent or has another format. */
  async load(): Promise<RevisionChanges[]> {
    const bytes = (await orNullWhenAbsent(nodeFs.readFile(this.#path))) ?? Buffer.alloc(0)
    const found: RevisionChanges[] = []
    let end = 0
    for (const line of checkedLines(bytes)) {
      if (end === 0 && line.body.toString() !== FORMAT) return []
      if (end > 0) {
        if (found.length % BATCH === 0) await nextTurn()
        const changes = parseRevisionChanges(line.body.toString())
        if (changes === null) return found
        found.push(changes)
      }
      end = line.end
    }
    this.#isWhole = end > 0 && end === bytes.length
    return found
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

  async #replace(all: Iterable<RevisionChanges>): Promise<void> {
    await nodeFs.mkdir(dirname(this.#path), { recursive: true })
    const lines = Array.from(all, renderRevisionChanges)
    await replaceFile(this.#path, renderCheckedLine(FORMAT) + lines.join(''))
  }
}
