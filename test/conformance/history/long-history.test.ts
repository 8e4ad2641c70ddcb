// @module-tag long

import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inspectAsIs } from '../../../src/configuration/current/validate-only.ts'
import { digestOf } from '../../../src/core/digest.ts'
import { CommitSha } from '../../../src/core/revision.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { IndexKeeper, NO_INDEX_STORE } from '../../../src/history/index/index-keeper.ts'
import { renderMessage } from '../../../src/history/revision/message.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitLine, PLAIN_GIT, tryGit } from '../../support/git/git.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const EPOCH = 1_700_000_000

interface Commit {
  /** Commits are marked from 1. */
  readonly mark: number
  readonly parents: readonly number[]
  readonly seconds?: number
  /** Whether another tool has made it, so that its document has to be read. */
  readonly isForeign?: boolean
}

/** A commit for `git fast-import`, as the service writes it or as another tool does. */
function commitText({ mark, parents, seconds = mark, isForeign = false }: Commit): string {
  const document = documentWith(`p${mark}`)
  const time = EPOCH + seconds
  const facts = {
    digest: digestOf(Buffer.from(document)),
    time: time * 1_000,
    schemaVersion: 75,
    serverEdition: 'Cairn',
    serverVersion: '0.1.0',
  }
  const own = { username: 'ann', subject: `Change ${mark}`, message: '' }
  const [who, message] = isForeign
    ? ['Gil <gil@example.org>', `Foreign ${mark}`]
    : ['Cairn <cairn@localhost>', renderMessage({ ...facts, ...own })]
  const [from, ...merged] = parents
  return [
    ...(from === undefined ? ['reset refs/heads/main'] : []),
    'commit refs/heads/main',
    `mark :${mark}`,
    `author ann <ann@example.org> ${time} +0000`,
    `committer ${who} ${time} +0000`,
    `data ${Buffer.byteLength(message)}\n${message}`,
    ...(from === undefined ? [] : [`from :${from}`]),
    ...merged.map((each) => `merge :${each}`),
    `M 100644 inline config.xml`,
    `data ${Buffer.byteLength(document)}\n${document}\n`,
  ].join('\n')
}

function straight(first: number, last: number, parent = first - 1): Commit[] {
  return Array.from({ length: last - first + 1 }, (_, n) => {
    const parents = n === 0 ? (parent === 0 ? [] : [parent]) : [first + n - 1]
    return { mark: first + n, parents }
  })
}

const HISTORIES: Readonly<Record<string, readonly Commit[]>> = {
  straight: straight(1, 1_250),
  'with a commit of another tool': [
    ...straight(1, 1_100),
    { mark: 1_101, parents: [1_100], isForeign: true },
    ...straight(1_102, 1_700),
  ],
  'with a branch that was merged': [
    ...straight(1, 600),
    ...straight(601, 620, 590).map((commit) => ({ ...commit, seconds: commit.mark - 15 })),
    { mark: 621, parents: [600, 620] },
    ...straight(622, 1_400),
  ],
  'with a long branch beside it': [
    ...straight(1, 10),
    ...straight(11, 1_200).map((commit) => ({ ...commit, seconds: 2 * commit.mark })),
    ...straight(1_201, 2_300, 10).map((commit) => ({
      ...commit,
      seconds: 2 * commit.mark - 2_379,
    })),
    { mark: 2_301, parents: [1_200, 2_300], seconds: 5_000 },
    ...straight(2_302, 2_400).map((commit) => ({ ...commit, seconds: commit.mark + 5_000 })),
  ],
  'with a branch that ended before the other began': [
    ...straight(1, 610),
    ...straight(611, 1_700, 10),
    { mark: 1_701, parents: [1_700, 610] },
  ],
  'with a second root': [
    ...straight(1, 700),
    ...straight(701, 1_200, 0),
    { mark: 1_201, parents: [700, 1_200] },
    ...straight(1_202, 1_700),
  ],
}

describe('the index of a long history', () => {
  it.each(Object.entries(HISTORIES))('%s, has each commit as git lists it', async (_, commits) => {
    const folder = tempDir()
    git(folder, 'init', '--quiet', '--initial-branch', 'main')
    const input = commits.map(commitText).join('')
    expect(tryGit(folder, ['fast-import', '--quiet'], { input }).status).toBe(0)
    const gitDir = join(folder, '.git')
    await using reader = await openObjectReader({ fs: nodeFs, gitDir, path: PLAIN_GIT.PATH })
    const context = {
      reader,
      fileName: 'config.xml',
      inspect: inspectAsIs,
      serverEdition: 'none',
    }
    const keeper = new IndexKeeper(NO_INDEX_STORE, context)

    const { added } = await keeper.moveTo(CommitSha.parse(gitLine(folder, 'rev-parse', 'main')))

    const entries = keeper.index.entries()
    const shapes = entries.map(({ commit, isClosed, parents }) => ({ commit, isClosed, parents }))
    expect(shapes).toEqual(shapesByGit(folder))
    expect([...added]).toEqual(entries.map(({ revision }) => revision))
    expect(added.length).toBe(commits.length)
    for (const { subject, digest, commit } of added)
      expect([digest, keeper.index.find(digest)?.commit]).toEqual([digestByName(subject), commit])
  })
})

/** The shape of the graph in each entry, listed by git. */
function shapesByGit(folder: string) {
  const childless = new Set<string>()
  const list = gitLine(folder, 'rev-list', '--date-order', '--reverse', '--parents', 'main')
  let before: string | undefined
  return list.split('\n').map((line) => {
    const [commit = '', ...parents] = line.split(' ')
    for (const parent of parents) childless.delete(parent)
    childless.add(commit)
    const isNext = parents.length < 2 && parents[0] === before
    before = commit
    return { commit, isClosed: childless.size === 1, parents: isNext ? null : parents }
  })
}

function digestByName(subject: string): string {
  return digestOf(Buffer.from(documentWith(`p${subject.split(' ')[1]}`)))
}
