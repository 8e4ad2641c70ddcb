import { CommitSha } from '../../../src/core/revision.ts'
import type {
  CommitRange,
  CommitRecord,
  ObjectReader,
} from '../../../src/git/objects/object-reader.ts'
import type { GitRepository } from '../../support/git/git-repository.ts'

export type OpenReader = (repository: GitRepository) => Promise<ObjectReader>

export const ABSENT = CommitSha.parse('0123456789abcdef0123456789abcdef01234567')

export async function fileText(
  reader: ObjectReader,
  commit: CommitSha,
  path = 'config.xml',
): Promise<string | null> {
  const bytes = await reader.findFile(commit, path)
  return bytes === null ? null : Buffer.from(bytes).toString('latin1')
}

export async function commitsIn(reader: ObjectReader, range: CommitRange): Promise<CommitRecord[]> {
  const commits: CommitRecord[] = []
  for await (const commit of reader.listCommits(range)) commits.push(commit)
  return commits
}

export function blobOf(repository: GitRepository, content: string): string {
  return repository.run(['hash-object', '-w', '--stdin'], content)
}
