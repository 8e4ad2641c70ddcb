import { digestOf } from '../core/digest.ts'
import type { Revision } from '../core/revision.ts'
import { DamageError, unreadable } from './damage.ts'
import type { GitRepository } from './git-repository.ts'

/**
 * The exact bytes of a revision.
 *
 * @throws {DamageError} when the repository no longer has them as recorded.
 */
export async function readDocument(
  repository: Pick<GitRepository, 'findDocument' | 'assertThere'>,
  { commit, digest }: Revision,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const document = await repository.findDocument(commit)
    if (document !== null && digestOf(document) === digest) return document
    const why = document === null ? 'it is missing' : `it does not have the digest ${digest}`
    throw new DamageError(why)
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    // Of a repository that was moved away, every object is missing.
    await repository.assertThere()
    throw unreadable(commit, error.message, error)
  }
}
