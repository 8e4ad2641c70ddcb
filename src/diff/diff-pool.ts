import { type CommonBytes, commonBytes } from '../lib/common-bytes.ts'
import { type DiffAnswer, type DiffJob, unpackScript } from './diff-job.ts'
import { runCooperatively } from '../lib/cooperative.ts'
import { builtFile } from '../lib/built-file.ts'
import { WorkerThreads } from '../lib/worker-thread.ts'
import {
  type DiffOptions,
  type EditScript,
  coarseScript,
  editScript,
  quickScript,
} from './edit-script.ts'
import { noteLines } from './lines.ts'
import { type UnifiedOptions, renderUnified, unifiedDiff } from './unified.ts'

export interface DiffPoolOptions {
  readonly threads?: number
  /** Milliseconds after which a thread gives up and the diff becomes coarse. */
  readonly timeLimit?: number
  /** Bytes that differ, between the common ends of the texts, above which a thread is used. */
  readonly inlineLimit?: number
}

const WORKER = builtFile('diff/diff-worker.js')
/** Bytes that differ, between the common ends of the texts, above which a thread is used. */
const INLINE = 2 ** 18
/** Texts above this size, together, are too much for the event loop even where they are equal. */
const MAX_INLINE_BYTES = 8 * 2 ** 20

/**
 * Diffs that never block the event loop: small ones are made synchronously, large ones in worker
 * threads. A thread that takes too long or too much memory is ended, and its diff is coarse:
 * correct, but not small.
 */
export class DiffPool implements AsyncDisposable {
  readonly #threads: WorkerThreads<DiffJob, DiffAnswer>
  readonly #inlineLimit: number

  constructor({ threads = 2, timeLimit = 10_000, inlineLimit = INLINE }: DiffPoolOptions = {}) {
    this.#threads = new WorkerThreads(threads, WORKER, timeLimit)
    this.#inlineLimit = inlineLimit
  }

  async unified(
    before: Uint8Array,
    after: Uint8Array,
    options: UnifiedOptions = {},
  ): Promise<Uint8Array> {
    if (this.#isSmall(before, after)) return unifiedDiff(before, after, options)
    const copies = await runCooperatively(ownCopies(before, after))
    const answer = await this.#ask({ kind: 'unified', options, ...copies })
    if (answer instanceof Uint8Array) return answer
    return renderUnified(coarseScript(before, after), options.context)
  }

  async script(
    before: Uint8Array,
    after: Uint8Array,
    options: DiffOptions = {},
  ): Promise<EditScript> {
    if (this.#isSmall(before, after)) {
      const small = editScript(before, after, options)
      noteLines(after, small.after)
      return small
    }
    const quick = await runCooperatively(quickScript(before, after, options))
    if (quick !== null) return quick
    const copies = await runCooperatively(ownCopies(before, after))
    const answer = await this.#ask({ kind: 'script', options, ...copies })
    if (answer === null || answer instanceof Uint8Array) return coarseScript(before, after)
    const script = unpackScript(answer, { before, after })
    noteLines(after, script.after)
    return script
  }

  /** Ends the threads. Diffs in progress are rejected. */
  async close(): Promise<void> {
    await this.#threads[Symbol.asyncDispose]()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #isSmall(before: Uint8Array, after: Uint8Array): boolean {
    return isSmallDiff({ before, after }, this.#inlineLimit)
  }

  #ask(job: DiffJob): Promise<DiffAnswer | null> {
    return this.#threads.run(job, [job.before.buffer, job.after.buffer])
  }
}

/** Whether a diff is quick enough for the event loop. */
export function isSmallDiff(
  { before, after }: { readonly before: Uint8Array; readonly after: Uint8Array },
  limit = INLINE,
): boolean {
  const size = before.length + after.length
  if (size > MAX_INLINE_BYTES) return false
  return size <= limit || differing(size, commonBytes(before, after)) <= limit
}

function differing(size: number, { prefix, suffix }: CommonBytes): number {
  return size - 2 * (prefix + suffix)
}

/** Bytes that are copied in one step. */
const STEP = 2 ** 21

/** Copies that can be transferred to a thread; a view would take its whole buffer along. */
function* ownCopies(before: Uint8Array, after: Uint8Array) {
  return { before: yield* copyOf(before), after: yield* copyOf(after) }
}

function* copyOf(bytes: Uint8Array): Generator<void, Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at += STEP) {
    copy.set(bytes.subarray(at, at + STEP), at)
    yield
  }
  return copy
}
