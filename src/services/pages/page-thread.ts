import { isSmallDiff, ownCopies } from '../../diff/diff-pool.ts'
import { DiffThread, workerFile } from '../../diff/diff-thread.ts'
import { coarseScript } from '../../diff/edit-script.ts'
import type { ComparisonDeps, ScriptDeps } from './compare/comparison.ts'
import type { Outline, PageAnswer, PageJob } from './page-work.ts'

/** Milliseconds after which the thread gives up. */
const TIME_LIMIT = 20_000
/** Documents up to this size are read at once, in bytes. */
const SMALL = 2 ** 18

/** Documents up to this size, together, are compared at once where little differs. */
const SMALL_PAIR = 3 * 2 ** 20

const COARSE: ScriptDeps = { script: async (before, after) => coarseScript(before, after) }

/** The service begins with this class, and loads what it does with the pages, behind its start. */
const loadComparison = () => import('./compare/comparison.ts')
const loadPageWork = () => import('./page-work.ts')

/** Does for pages what would hold up everybody else: at once where little differs, else in a thread. */
export class PageThread implements AsyncDisposable {
  readonly #script: ScriptDeps['script']
  readonly #thread = new DiffThread<PageJob, PageAnswer>(
    workerFile('services/pages/page-worker.js'),
    TIME_LIMIT,
  )

  constructor({ script }: ScriptDeps) {
    this.#script = script
  }

  /** The difference of two documents; where that takes too long, everything between their equal ends. */
  readonly compare: ComparisonDeps['compare'] = async ([before, after], options) => {
    const { compareDocuments } = await loadComparison()
    const size = before.length + after.length
    if (size <= SMALL_PAIR && isSmallDiff({ before, after })) {
      return compareDocuments({ script: this.#script }, [before, after], options)
    }
    const copies = ownCopies(before, after)
    const answer = await this.#thread.run({ kind: 'comparison', ...copies, options }, [
      copies.before.buffer,
      copies.after.buffer,
    ])
    if (answer?.kind === 'comparison') return answer.comparison
    return compareDocuments(COARSE, [before, after], options)
  }

  /** The outline of a document; none where that takes too long. */
  readonly outline = async (document: Uint8Array): Promise<Outline> => {
    if (document.length <= SMALL) return (await loadPageWork()).outlineOfDocument(document)
    const copy = new Uint8Array(document)
    const answer = await this.#thread.run({ kind: 'outline', document: copy }, [copy.buffer])
    return answer?.kind === 'outline' ? answer.outline : null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close()
  }
}
