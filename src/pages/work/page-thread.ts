import { THREAD_MEMORY_MB } from '../../document/xml/xml-limits.ts'
import { ServiceError } from '../../core/errors.ts'
import { isSmallDiff } from '../../diff/diff-pool.ts'
import { builtFile } from '../../lib/built-file.ts'
import { WorkerThread } from '../../lib/worker-thread.ts'
import { coarseScript } from '../../diff/edit-script.ts'
import type {
  ComparisonDeps,
  DocumentPair,
  ScriptDeps,
  TextFirst,
  TextFirstOptions,
} from '../code/comparison.ts'
import type {
  DescriptionRequest,
  PageJob,
  PageRequests,
  PageResults,
  PageWorkName,
} from './page-work.ts'

/** The time limit of the thread, in milliseconds. */
const TIMEOUT_MS = 20_000
/** Documents up to this size are processed on the main thread, in bytes. */
const SMALL = 2 ** 18
/** Documents up to this total size are compared on the main thread if little differs. */
const SMALL_PAIR = 3 * 2 ** 20

const COARSE: ScriptDeps = { script: async (before, after) => coarseScript(before, after) }

/** The service creates this class at its start; the page code is loaded later. */
const loadComparison = () => import('../code/comparison.ts')
const loadDescription = () => import('../code/shown-changes.ts')
const loadStoredChanges = () => import('../../index/tables/revision-changes.ts')
const loadPageWork = () => import('./page-work.ts')

type Work<Name extends PageWorkName> = (request: PageRequests[Name]) => Promise<PageResults[Name]>

/**
 * Runs expensive work of pages: small documents on the main thread, larger ones in a worker thread.
 */
export class PageThread implements AsyncDisposable {
  readonly #script: ScriptDeps['script']
  readonly #thread = new WorkerThread<PageJob, PageResults[PageWorkName]>(
    builtFile('pages/work/page-worker.js'),
    TIMEOUT_MS,
    THREAD_MEMORY_MB,
  )

  constructor({ script }: ScriptDeps) {
    this.#script = script
  }

  /**
   * Compares two documents; at the time limit, everything between their equal ends counts as
   * changed.
   */
  readonly compare: ComparisonDeps['compare'] = async ([before, after], options) => {
    const { compareDocuments } = await loadComparison()
    if (isSmallPair(before, after)) {
      return compareDocuments({ script: this.#script }, [before, after], options)
    }
    const made = await this.#inThread('compare', { before, after, options })
    return made ?? compareDocuments(COARSE, [before, after], options)
  }

  /** Compares two documents as texts; large ones are described when that is asked for. */
  readonly compareTextFirst: ComparisonDeps['compareTextFirst'] = async (documents, asked) => {
    const { known, ...options } = asked
    const [before, after] = documents
    if (isSmallPair(before, after)) return this.#compareSmall(documents, asked)
    const { compareDocumentTexts } = await loadComparison()
    const made = await this.#inThread('compareTexts', { before, after, options })
    const text = made ?? (await compareDocumentTexts(COARSE, documents, options))
    const request: DescriptionRequest =
      known === null
        ? { kind: 'compared', before, after, options }
        : { kind: 'stored', stored: known }
    return { ...text, isLarge: true, describe: () => this.#inThread('describe', request) }
  }

  /** The outline of a document for a page about some lines; none if the time limit is reached. */
  readonly outline: Work<'outline'> = async (request) => {
    if (request.document.length > SMALL) return this.#inThread('outline', request)
    return (await loadPageWork()).doPageWork({ name: 'outline', request })
  }

  /** The changes of a revision that are about an entity: a revision may have tens of thousands. */
  readonly changesAbout = this.#work('changesAbout')
  /** The same of a part of the document, as they look to callers who see no more. */
  readonly ownChanges = this.#work('ownChanges')
  readonly snapshotText = this.#work('snapshotText')
  readonly partOf = this.#work('partOf')
  readonly examineDraft = this.#work('examineDraft')
  readonly mergeEdit = this.#work('mergeEdit')
  readonly mergeByChoice = this.#work('mergeByChoice')
  readonly restoreEntity = this.#work('restoreEntity')
  readonly undoChange = this.#work('undoChange')
  readonly permissionsTable = this.#work('permissionsTable')
  readonly permissionsChanges = this.#work('permissionsChanges')
  readonly permissionsOfPerson = this.#work('permissionsOfPerson')

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close()
  }

  async #compareSmall(
    documents: DocumentPair,
    { known, ...options }: TextFirstOptions,
  ): Promise<TextFirst> {
    const { compareDocuments, compareDocumentTexts } = await loadComparison()
    const { shownChanges } = await loadDescription()
    const { parseChanges } = await loadStoredChanges()
    const deps = { script: this.#script }
    if (known !== null) {
      const text = await compareDocumentTexts(deps, documents, options)
      return {
        ...text,
        isLarge: false,
        describe: async () => shownChanges(parseChanges(known)),
      }
    }
    const { changes, ...text } = await compareDocuments(deps, documents, options)
    return { ...text, isLarge: false, describe: async () => changes }
  }

  /**
   * One kind of work on texts.
   *
   * @throws {ServiceError} `unavailable` when it exceeds the limit of time or memory.
   */
  #work<Name extends PageWorkName>(name: Name): Work<Name> {
    return async (request) => {
      if (sizeOf(request) <= SMALL) return (await loadPageWork()).doPageWork({ name, request })
      const result = await this.#inThread(name, request)
      if (result !== null) return result
      const message = 'The document is too large for this'
      throw new ServiceError('unavailable', message, { reason: name })
    }
  }

  #inThread<Name extends PageWorkName>(name: Name, request: PageRequests[Name]) {
    return this.#thread.run<PageResults[Name]>({ name, request }, [])
  }
}

function isSmallPair(before: Uint8Array, after: Uint8Array): boolean {
  return before.length + after.length <= SMALL_PAIR && isSmallDiff({ before, after })
}

/** The length of the texts of a request. */
function sizeOf(request: object): number {
  const lengths = Object.values(request)
    .flat()
    .map((each: unknown) =>
      each instanceof Uint8Array || typeof each === 'string' ? each.length : 0,
    )
  return lengths.reduce((sum, length) => sum + length, 0)
}
