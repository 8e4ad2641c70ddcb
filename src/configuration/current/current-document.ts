import type { History } from '../../history/history.ts'
import type { DocumentCache } from './document-cache.ts'

/**
 * The document in force, which is mostly in memory.
 *
 * @throws {ServiceError} `unavailable` when the repository no longer has it as recorded.
 */
export async function currentDocument({
  history,
  cache,
}: {
  readonly history: Pick<History, 'current' | 'readDocument'>
  readonly cache: Pick<DocumentCache, 'findReadable'>
}): Promise<Uint8Array<ArrayBuffer>> {
  const current = history.current()
  return cache.findReadable(current.digest)?.bytes ?? history.readDocument(current)
}
