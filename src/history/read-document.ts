import { digestOf } from '../core/digest.ts'
import type { Revision } from '../core/revision.ts'
import type { GitRepository } from './git-repository.ts'
import { unavailable } from './repository-folder.ts'

/**
 * The exact bytes of a revision.
 *
 * @throws {ServiceError} `unavailable` when the repository no longer has them as recorded.
 */
export async function readDocument(
  repository: Pick<GitRepository, 'findDocument'>,
  { commit, digest }: Revision,
): Promise<Uint8Array<ArrayBuffer>> {
  const document = await repository.findDocument(commit)
  if (document === null) throw unavailable(`The document of commit ${commit} is missing`)
  if (digestOf(document) === digest) return document
  throw unavailable(`The document of commit ${commit} does not have the digest ${digest}`)
}
