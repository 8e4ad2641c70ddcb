import { LRUCache } from 'lru-cache'
import type { Digest } from '../core/digest.ts'
import { unavailable } from '../core/errors.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { DiffPool } from '../diff/diff-pool.ts'
import type { EditScript } from '../diff/edit-script.ts'
import type { ChangeSummary } from '../document/changes/change-summary.ts'
import { changesOfMerge } from '../document/changes/merge-changes.ts'
import type { DocumentChange } from '../document/entities/change.ts'
import { groupsOfPipelines } from '../document/highlight/entity-span.ts'
import { type TextLines, textLinesOf } from '../document/text/text-lines.ts'
import type { DocumentForms, History } from '../history/history.ts'
import { decodeUtf8 } from '../lib/decode-utf8.ts'
import { runCooperatively } from '../lib/cooperative.ts'
import { condensedSummary } from './condensed-summary.ts'
import { isRemovedPipeline } from './tables/revision-changes.ts'
import type { Step } from './tables/step.ts'

export interface StepReaderDeps {
  readonly history: History
  readonly summary: ChangeSummary
  readonly script: DiffPool['script']
  /** A document that is in memory, as readers may see it; null for others. */
  readonly findRead?: (digest: Digest) => Uint8Array<ArrayBuffer> | null
}

/** The documents that stay for the next revision: its base, and those of a merge. */
const MAX_DOCUMENTS = 3
/** Larger documents are compared as a whole, in small steps. */
const MAX_CONDENSED = 1_048_576
const NOTHING = new Uint8Array()

/** Reads revisions for the walker; neighbours share their documents. */
export class StepReader {
  readonly #deps: StepReaderDeps
  readonly #documents = new LRUCache<Digest, ReadDocument>({ max: MAX_DOCUMENTS })

  constructor(deps: StepReaderDeps) {
    this.#deps = deps
  }

  /** @throws {ServiceError} `unavailable` when the repository no longer has a document. */
  async read(number: number, revision: Revision): Promise<Step> {
    const { history } = this.#deps
    const bases = history.basesOf(revision)
    const scripts: EditScript[] = []
    const groups = new Map<string, string>()
    const comparisons: (readonly DocumentChange[])[] = []
    for (const base of bases.length === 0 ? [null] : bases) {
      const before = base === null ? null : await this.#documentOf(base)
      const after = await this.#document(revision)
      const script = await this.#deps.script(before?.shown ?? NOTHING, after.shown)
      scripts.push(script)
      const changes = await this.#compare({ before, after, script })
      comparisons.push(changes)
      if (before !== null && changes.some(isRemovedPipeline)) {
        for (const [pipeline, group] of before.groups()) groups.set(pipeline, group)
      }
    }
    return {
      commit: revision.commit,
      number,
      isClosed: history.isClosed(revision),
      isListed: number > history.archived,
      bases: bases.map((commit) => this.#numberOf(commit)),
      changes: comparisons.length === 1 ? (comparisons[0] ?? []) : changesOfMerge(comparisons),
      groups,
      scripts,
    }
  }

  /** Lets the documents go that were read last. */
  clear(): void {
    this.#documents.clear()
  }

  async #compare({ before, after, script }: Compared): Promise<readonly DocumentChange[]> {
    const { summary } = this.#deps
    const known = summary.known(before?.digest ?? null, after.digest)
    if (known !== null) return known
    const isShort = (before?.written.length ?? 0) + after.written.length <= MAX_CONDENSED
    if (before !== null && isShort && after.hasOneForm && before.hasOneForm) {
      const texts = {
        before: before.lines(script.before.count),
        after: after.lines(script.after.count),
      }
      const found = await runCooperatively(condensedSummary(script, texts))
      if (found !== null) return found
    }
    return summary.compare(
      before && { digest: before.digest, read: () => summary.read(before.written) },
      { digest: after.digest, read: () => summary.read(after.written) },
    )
  }

  #documentOf(commit: CommitSha): Promise<ReadDocument> {
    const revision = this.#deps.history.findCommit(commit)
    if (revision === null) throw unavailable(`The history no longer has ${commit}`)
    return this.#document(revision)
  }

  async #document(revision: Revision): Promise<ReadDocument> {
    const { digest } = revision
    const known = this.#documents.get(digest)
    if (known) return known
    const document = new ReadDocument(digest, await this.#forms(revision))
    this.#documents.set(digest, document)
    return document
  }

  /** A document that was just saved is at hand, so that git need not undo its compression. */
  async #forms(revision: Revision): Promise<DocumentForms> {
    const { history, findRead } = this.#deps
    const shown = findRead?.(revision.digest) ?? null
    return shown === null ? history.readForms(revision) : { shown, written: shown }
  }

  #numberOf(commit: CommitSha): number {
    const number = this.#deps.history.numberOf({ commit })
    if (number === null) throw unavailable(`The history no longer has ${commit}`)
    return number
  }
}

interface Compared {
  readonly before: ReadDocument | null
  readonly after: ReadDocument
  /** The edit between the forms that readers see. */
  readonly script: EditScript
}

class ReadDocument {
  readonly digest: Digest
  readonly shown: Uint8Array<ArrayBuffer>
  readonly written: Uint8Array<ArrayBuffer>
  #lines: TextLines | null = null

  constructor(digest: Digest, { shown, written }: DocumentForms) {
    this.digest = digest
    this.shown = shown
    this.written = written
  }

  /** Whether both forms are the same bytes: it has no secrets in plain text. */
  get hasOneForm(): boolean {
    return this.shown === this.written
  }

  /** The groups of its pipelines. */
  groups(): ReadonlyMap<string, string> {
    return groupsOfPipelines(decodeUtf8(this.written))
  }

  lines(count: number): TextLines {
    this.#lines ??= textLinesOf(this.written, count)
    return this.#lines
  }
}
