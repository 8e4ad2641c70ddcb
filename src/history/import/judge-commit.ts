import { type Digest, digestOf } from '../../core/digest.ts'
import type { Problem } from '../../core/problem.ts'
import type { Revision } from '../../core/revision.ts'
import { classify } from '../revision/classify.ts'
import type { Inspect, Inspection } from '../revision/inspection.ts'
import type { CommitRecord } from '../../git/objects/object-reader.ts'

/** A revision of another repository, with its document in the form that this one accepts. */
export interface Importable {
  readonly revision: Revision
  readonly document: Uint8Array<ArrayBuffer>
  /** Whether plain secrets were sealed, which changes the digest. */
  readonly isSealed: boolean
}

export interface Unimportable {
  readonly reason: 'older' | 'absent' | 'invalid'
  readonly problems: readonly Problem[]
}

export interface Judgement {
  readonly fileName: string
  readonly inspect: Inspect
  readonly serverEdition: string
  /** Milliseconds since the UNIX epoch; older commits are left out. */
  readonly since: number | null
}

/** Decides whether a commit of another repository can become a revision, and which. */
export async function judgeCommit(
  commit: CommitRecord,
  bytes: Uint8Array<ArrayBuffer> | null,
  judgement: Judgement,
): Promise<Importable | Unimportable> {
  const { since, inspect } = judgement
  if (since !== null && commit.time < since) return { reason: 'older', problems: [] }
  if (bytes === null) return { reason: 'absent', problems: [] }
  const inspection = await inspect(bytes)
  if (!inspection.ok) return { reason: 'invalid', problems: inspection.problems }
  const revision = await asItWas(commit, bytes, { ...judgement, inspection })
  if (revision === null) return { reason: 'invalid', problems: [] }
  const digest: Digest = digestOf(inspection.document)
  return {
    revision: { ...revision, digest },
    document: inspection.document,
    isSealed: digest !== revision.digest,
  }
}

/** The revision in its own repository. */
function asItWas(
  commit: CommitRecord,
  bytes: Uint8Array<ArrayBuffer>,
  { inspection, ...judgement }: Judgement & { inspection: Inspection },
): Promise<Revision | null> {
  return classify(commit, bytes, { ...judgement, inspect: async () => inspection })
}
