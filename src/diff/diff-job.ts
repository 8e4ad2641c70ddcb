import { type DiffOptions, type EditScript, editScript } from './edit-script.ts'
import { type Lines, linesAt } from './lines.ts'
import { type UnifiedOptions, unifiedDiff } from './unified.ts'

/** A job for a worker thread, which owns the bytes. */
export type DiffJob = {
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
} & (
  | { readonly kind: 'unified'; readonly options: UnifiedOptions }
  | { readonly kind: 'script'; readonly options: DiffOptions }
)

/** An edit script without the texts, in a form that moves between threads at no cost. */
export interface PackedScript {
  readonly beforeStarts: Int32Array<ArrayBuffer>
  readonly afterStarts: Int32Array<ArrayBuffer>
  /** Four numbers for each change: the start and end before, the start and end after. */
  readonly changes: Int32Array<ArrayBuffer>
}

export type DiffAnswer = Uint8Array<ArrayBuffer> | PackedScript

export function runDiffJob(job: DiffJob): DiffAnswer {
  if (job.kind === 'unified') {
    return new Uint8Array(unifiedDiff(job.before, job.after, job.options))
  }
  return packScript(editScript(job.before, job.after, job.options))
}

/** The buffers of an answer, which are transferred rather than copied. */
export function memoryOf(answer: DiffAnswer): ArrayBuffer[] {
  if (answer instanceof Uint8Array) return [answer.buffer]
  return [answer.beforeStarts.buffer, answer.afterStarts.buffer, answer.changes.buffer]
}

export function unpackScript(
  { beforeStarts, afterStarts, changes }: PackedScript,
  texts: { readonly before: Uint8Array; readonly after: Uint8Array },
): EditScript {
  const at = (n: number) => changes[n] ?? 0
  return {
    before: linesAt(texts.before, beforeStarts),
    after: linesAt(texts.after, afterStarts),
    changes: Array.from({ length: changes.length / 4 }, (_, n) => ({
      before: { start: at(4 * n), end: at(4 * n + 1) },
      after: { start: at(4 * n + 2), end: at(4 * n + 3) },
    })),
  }
}

function packScript({ before, after, changes }: EditScript): PackedScript {
  return {
    beforeStarts: ownStarts(before),
    afterStarts: ownStarts(after),
    changes: Int32Array.from(
      changes.flatMap((change) => [
        change.before.start,
        change.before.end,
        change.after.start,
        change.after.end,
      ]),
    ),
  }
}

function ownStarts({ starts }: Lines): Int32Array<ArrayBuffer> {
  return new Int32Array(starts)
}
