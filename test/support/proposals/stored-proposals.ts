import nodeFs from 'node:fs/promises'
import type { CommitSha } from '../../../src/core/revision.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { SideRefs, type SideRefsOptions } from '../../../src/history/refs/side-refs.ts'
import {
  type NewContent,
  type NewEvent,
  type NewVersion,
  ProposalStore,
} from '../../../src/proposals/proposal-store.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import type { GitRepository } from '../git/git-repository.ts'
import { atEnd } from '../programs/at-end.ts'

const ANA = { username: 'ana' }
let now = 1_700_000_000_000
const clock = () => (now += 1000)

/** The proposals of a repository, closed with the test. */
export async function openProposals(
  { gitDir }: Pick<GitRepository, 'gitDir'>,
  { fs = nodeFs, shared = null }: { fs?: FsPromises; shared?: SideRefsOptions['shared'] } = {},
): Promise<ProposalStore> {
  const reader = await openObjectReader({ fs: nodeFs, gitDir, path: null })
  const prefix = 'refs/proposals/'
  const refs = new SideRefs({ prefix, store: { fs, gitDir }, reader, clock, shared })
  atEnd(async () => {
    await refs[Symbol.asyncDispose]()
    await reader[Symbol.asyncDispose]()
  })
  return new ProposalStore({ refs, fileName: 'config.xml', clock })
}

/** A document upon a commit. */
export function contentOf(base: CommitSha, text: string): NewContent {
  return { base, document: Buffer.from(text), author: 'ana', message: 'Say more\n' }
}

export function opening(base: CommitSha, title = 'Say more') {
  return ({ version, commit }: NewVersion): NewEvent => ({
    type: 'open',
    by: ANA,
    title,
    message: '',
    when: null,
    version,
    commit,
    base,
    touches: [],
  })
}

export function updating(base: CommitSha) {
  return ({ version, commit }: NewVersion): NewEvent => {
    return { type: 'update', by: ANA, version, commit, base, touches: [] }
  }
}

export function approvalBy(username: string): NewEvent {
  return reviewBy(username, 'approve')
}

export function reviewBy(username: string, type: 'approve' | 'reject'): NewEvent {
  const effects = { starts: [], gains: [] }
  return { type, by: { username }, version: 1, digest: 'd1', rules: 'none', effects, text: '' }
}
