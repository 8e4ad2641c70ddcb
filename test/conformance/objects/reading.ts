import { beforeEach, expect } from 'vitest'
import type { ObjectFormatName } from '../../../src/core/object-name.ts'
import { objectFormatOf } from '../../../src/git/object-format.ts'
import { CommitSha } from '../../../src/core/revision.ts'
import type {
  CommitRange,
  CommitRecord,
  ObjectReader,
} from '../../../src/git/objects/object-reader.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

export type OpenReader = (repository: GitRepository) => Promise<ObjectReader>

/** Gives each test of a suite a repository of its own, with a reader of its objects. */
export function readEach(
  open: OpenReader,
  format: ObjectFormatName,
  given: (repository: GitRepository, reader: ObjectReader) => void,
): void {
  beforeEach(async () => {
    const repository = new GitRepository(format)
    const reader = await open(repository)
    given(repository, reader)
    return async () => {
      await reader[Symbol.asyncDispose]()
      repository[Symbol.dispose]()
    }
  })
}

/** The name of a commit that no repository has. */
export function absentIn(format: ObjectFormatName): CommitSha {
  return CommitSha.parse('0123456789abcdef'.repeat(4).slice(0, 2 * objectFormatOf(format).bytes))
}

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
  for await (const batch of reader.listCommits(range)) {
    expect(batch).not.toHaveLength(0)
    for (const commit of batch) commits.push(commit)
  }
  return commits
}

export function blobOf(repository: GitRepository, content: string): string {
  return repository.run(['hash-object', '-w', '--stdin'], content)
}
