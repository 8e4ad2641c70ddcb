import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Digest } from '../../../src/core/digest.ts'
import { CommitSha, type Revision, revisionKindOf } from '../../../src/core/revision.ts'
import { EntryKeys, keyOf } from '../../../src/history/index/entry-keys.ts'
import { IndexLine, renderEntries } from '../../../src/history/index/index-line.ts'
import type { Authorship } from '../../../src/history/index/revision-columns.ts'
import {
  type IndexEntry,
  type IndexSegment,
  RevisionIndex,
} from '../../../src/history/index/revision-index.ts'

interface Draft {
  /** The last digits of the commit; some commits begin alike. */
  readonly isTwin: boolean
  readonly isClosed: boolean
  /** How far back the parents are; null for the commit before alone. */
  readonly parents: readonly number[] | null
  /** Null for a commit without a valid document; few others, so that documents come again. */
  readonly document: number | null
  readonly subject: string
  readonly author: (typeof AUTHORS)[number]
  /** Beside the time of the entries around it: not all clocks are right. */
  readonly late: number
}

const AUTHORS = [
  { username: 'ana', serverVersion: '0.1.0' },
  { username: 'ana', serverVersion: 'N/A' },
  { username: 'Benoît\t"', serverVersion: '0.1.0' },
  { username: 'Filesystem', serverVersion: '0.1.0' },
  { username: 'agent_7_10.0.0.1_host', serverVersion: '0.1.0' },
] as const

const draft: fc.Arbitrary<Draft> = fc.record({
  isTwin: fc.boolean(),
  isClosed: fc.boolean(),
  parents: fc.option(fc.array(fc.integer({ min: 1, max: 70 }), { maxLength: 3 })),
  document: fc.option(fc.nat(40)),
  subject: fc.string({ unit: 'grapheme', maxLength: 8 }),
  author: fc.constantFrom(...AUTHORS),
  late: fc.integer({ min: -20, max: 20 }),
})

const SHAPE: Draft = {
  isTwin: false,
  isClosed: true,
  parents: null,
  document: 1,
  subject: 'x',
  author: AUTHORS[0],
  late: 0,
}

const UNKNOWN = CommitSha.parse('abcdef01'.padEnd(40, '0'))

function nameOf(n: number, length: number): string {
  return (n * 2_654_435_761)
    .toString(16)
    .slice(-8)
    .padStart(8, '0')
    .padEnd(length, String(n % 10))
}

function commitOf(isTwin: boolean, n: number): CommitSha {
  const tail = n.toString(16).padStart(32, '0')
  return CommitSha.parse(`${isTwin ? 'abcdef01' : nameOf(n, 8)}${tail}`)
}

/** Some parents are older than all entries, as in a history that begins elsewhere. */
function parentsOf(all: readonly Draft[], n: number): readonly CommitSha[] | null {
  const parents = all[n]?.parents ?? null
  return parents && parents.map((back) => commitOf(all[n - back]?.isTwin ?? false, n - back + 99))
}

function entryOf(
  { isTwin, isClosed, document, subject, author, late }: Draft,
  n: number,
  all: readonly Draft[],
): IndexEntry {
  const [commit, parents] = [commitOf(isTwin, n + 99), parentsOf(all, n)]
  if (document === null) return { commit, isClosed, parents, digest: null, revision: null }
  const digest = Digest.parse(nameOf(document % 20, 31) + (document < 20 ? 'a' : 'b'))
  const server = { schemaVersion: 75, serverEdition: 'OpenSource' }
  const words = { subject, message: n % 2 === 0 ? '' : `why\n\t${subject}\t` }
  const revision = { digest, commit, ...author, time: n + late, ...server, ...words }
  return { commit, isClosed, parents, digest, revision }
}

/** The commits of the bases of an entry, by their rule. */
function basesOf(entries: readonly IndexEntry[], place: number): readonly CommitSha[] {
  const placeOf = (commit: CommitSha) => entries.findIndex((each) => each.commit === commit)
  const parentsAt = (at: number) =>
    (entries[at]?.parents?.map(placeOf) ?? [at - 1]).filter((parent) => parent >= 0)
  const revisionFrom = (at: number): IndexEntry | undefined => {
    const [first = -1] = parentsAt(at)
    return entries[at]?.revision === null ? revisionFrom(first) : entries[at]
  }
  return [...new Set(parentsAt(place).flatMap((at) => revisionFrom(at)?.commit ?? []))]
}

/** As a start reads the entries that an earlier one has written. */
function kept(entries: readonly IndexEntry[], perLine: number): RevisionIndex {
  const lines: IndexLine[] = []
  for (let at = 0; at < entries.length; at += perLine) {
    lines.push(new IndexLine(Buffer.from(renderEntries(entries.slice(at, at + perLine)))))
  }
  return new RevisionIndex(lines)
}

function expectColumns({ columns }: RevisionIndex, revisions: readonly Revision[]): void {
  const count = (wanted: Revision) =>
    revisions.filter((each) => authorOf(each) === authorOf(wanted)).length
  const counted = new Map(revisions.map((each) => [authorOf(each), count(each)]))
  expect(
    new Map(columns.counts().map(({ revisions: of, ...each }) => [JSON.stringify(each), of])),
  ).toEqual(counted)
  expect(Array.from(columns.times())).toEqual(revisions.map(({ time }) => time))
  const moments = [-1, 0, ...revisions.map(({ time }) => time), 1e9]
  expect(moments.map((moment) => columns.lastUntil(moment))).toEqual(
    moments.map((moment) => {
      const place = revisions.findLastIndex(({ time }) => time <= moment)
      return place < 0 ? null : place
    }),
  )
  for (const [since, until] of [
    [null, null],
    [10, null],
    [null, 30],
  ] as const) {
    const wanted = { isBy: ({ kind }: Authorship) => kind !== 'git', since, until }
    const places = revisions.flatMap((each, place) => {
      const isWithin = each.time >= (since ?? -Infinity) && each.time <= (until ?? Infinity)
      return isWithin && revisionKindOf(each) !== 'git' ? [place] : []
    })
    expect(columns.select(wanted).slice()).toEqual(places)
    expect([...columns.newest(wanted)]).toEqual(places.toReversed())
  }
}

function authorOf(revision: Revision): string {
  return JSON.stringify({ username: revision.username, kind: revisionKindOf(revision) })
}

function expectToHold(index: RevisionIndex, entries: readonly IndexEntry[]): void {
  const revisions = entries.flatMap(({ revision }) => revision ?? [])
  const newestFirst = revisions.toReversed()
  expectColumns(index, revisions)
  // One by one, before anything is read with its neighbours.
  expect(entries.map(({ commit }) => index.findCommit(commit))).toEqual(
    entries.map(({ revision }) => revision),
  )
  expect(newestFirst.map((_, newer) => index.at(newer))).toEqual(newestFirst)
  expect([index.at(-1), index.at(revisions.length)]).toEqual([null, null])
  expect(index.entries()).toEqual(entries)
  expect(index.tip()).toBe(entries.at(-1)?.commit ?? null)
  expect(index.current()).toEqual(revisions.at(-1) ?? null)
  expect(index.list({ offset: 1, limit: 5 })).toEqual(newestFirst.slice(1, 6))
  expect(index.size()).toBe(revisions.length)
  // From here on all commits are numbered, as it is neither among the newest nor the oldest.
  expect(index.placeOf(UNKNOWN)).toBeNull()
  for (const [place, { commit, isClosed, digest, revision }] of entries.entries()) {
    expect(index.placeOf(commit)).toBe(place)
    expect(index.isClosed(commit)).toBe(isClosed)
    expect(index.findCommit(commit)).toEqual(revision)
    expect(index.numberOf(commit)).toBe(revision && revisions.indexOf(revision) + 1)
    expect(index.basesOf(commit)).toEqual(revision && basesOf(entries, place))
    if (digest === null) continue
    expect(index.find(digest)).toEqual(revisions.findLast((each) => each.digest === digest))
  }
}

describe('RevisionIndex', () => {
  it('finds what was kept and what came since', () => {
    const drafts = fc.array(draft, { minLength: 1, maxLength: 60 })

    fc.assert(
      fc.property(drafts, fc.nat(60), fc.integer({ min: 1, max: 9 }), (all, known, perLine) => {
        const entries = all.map(entryOf)
        const index = kept(entries.slice(0, known), perLine)
        for (const entry of entries.slice(known)) index.append([entry])

        expect(index.length).toBe(entries.length)
        expectToHold(index, entries)
      }),
      { numRuns: 50 },
    )
  })

  it('is the same index when the newest entries are taken away', () => {
    const drafts = fc.array(draft, { minLength: 1, maxLength: 40 })

    fc.assert(
      fc.property(drafts, fc.nat(40), fc.nat(40), (all, known, place) => {
        const entries = all.map(entryOf)
        const index = kept(entries.slice(0, known), 7)
        index.append(entries.slice(known))
        const last = Math.min(place, entries.length - 1)
        const count = entries.findLastIndex(({ isClosed }, n) => isClosed && n <= last) + 1

        expect(index.countClosed(last)).toBe(count)
        expectToHold(index.upTo(count), entries.slice(0, count))
        expectToHold(index, entries)
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    [[3], 0],
    [[500], 0],
    [[1_203, 1, 1], 1_200],
    [[1, 700, 2], 0],
    [[1_100], 550],
  ])('can be kept in lines when commits came %j at once, from place %i on', (groups, start) => {
    const drafts = fc.sample(draft, { numRuns: groups.reduce((sum, size) => sum + size), seed: 7 })
    const entries = drafts.map(entryOf)
    const index = new RevisionIndex()
    let rest = entries
    for (const size of groups) {
      index.append(rest.slice(0, size))
      rest = rest.slice(size)
    }

    const lines = index.lines(start)
    index.append([entryOf({ ...SHAPE, isTwin: true }, entries.length, [])])

    const again = new RevisionIndex(Array.from(lines, (line) => new IndexLine(Buffer.from(line))))
    expect(again.entries()).toEqual(entries.slice(start))
    expect(index.entries(0, entries.length)).toEqual(entries)
  })

  it('parses one revision alone, and its neighbours with it for who goes through them', () => {
    const entries = Array.from({ length: 5_000 }, () => SHAPE).map(entryOf)
    const parsed = { alone: 0, together: 0 }
    const segments = Array.from({ length: 10 }, (_, n): IndexSegment => {
      const line = IndexLine.of(entries.slice(n * 500, (n + 1) * 500))
      return {
        keys: line.keys,
        readFacts: () => {
          parsed.together += 1
          return line.readFacts()
        },
        readColumns: () => line.readColumns(),
        readRevision: (row) => {
          parsed.alone += 1
          return line.readRevision(row)
        },
      }
    })
    const index = new RevisionIndex(segments)
    const find = (each: IndexEntry) => index.findCommit(each.commit)
    const spread = entries.filter((_, n) => n % 500 === 250)

    for (const each of [...spread, ...spread]) expect(find(each)).toEqual(each.revision)
    expect(parsed).toEqual({ alone: 10, together: 0 })
    for (const each of entries) expect(find(each)).toEqual(each.revision)
    expect(parsed).toEqual({ alone: 160, together: 10 })
  })

  it('finds each of very many', () => {
    const entries = Array.from({ length: 5_000 }, () => SHAPE).map(entryOf)
    const index = kept(entries.slice(0, 4_000), 500)
    index.append(entries.slice(4_000))

    const places = entries.map(({ commit }) => index.placeOf(commit))

    expect(places).toEqual(entries.map((_, n) => n))
    expect(index.placeOf(UNKNOWN)).toBeNull()
  })

  it('finds the newest and the oldest before all are numbered, and numbers them for others', () => {
    const entries = Array.from({ length: 5_000 }, () => SHAPE).map(entryOf)
    let numbered = 0
    class CountedKeys extends EntryKeys {
      override firstOfCommitAt(row: number): number {
        numbered += 1
        return super.firstOfCommitAt(row)
      }
    }
    const segments = Array.from({ length: 10 }, (_, n): IndexSegment => {
      const some = entries.slice(n * 500, (n + 1) * 500)
      const line = IndexLine.of(some)
      const keys = new CountedKeys(Buffer.from(some.map(keyOf).join('')))
      return {
        keys,
        readFacts: () => line.readFacts(),
        readColumns: () => line.readColumns(),
        readRevision: (row) => line.readRevision(row),
      }
    })
    const index = new RevisionIndex(segments)
    const asked = [0, 1, 4_500, 4_750, 4_998, 4_999]
    const places = () => asked.map((place) => index.placeOf(commitOf(false, place + 99)))

    expect(places()).toEqual(asked)
    expect(numbered).toBe(0)
    expect(index.placeOf(commitOf(false, 2_000 + 99))).toBe(2_000)
    expect(numbered).toBe(5_000)
    expect(places()).toEqual(asked)
  })

  it('takes no digits of a digest for those of a commit', () => {
    const entries = Array.from({ length: 3 }, () => SHAPE).map(entryOf)
    const [digest, next] = [entries[0]?.digest ?? '', entries[1]?.commit ?? '']
    const across = CommitSha.parse(digest.slice(-20) + next.slice(0, 20))

    expect(kept(entries, 3).placeOf(across)).toBeNull()
    const last = { ...SHAPE, document: 2 }
    const named = { ...entryOf(last, 3, []), commit: across }
    expect(kept([...entries, named, entryOf(SHAPE, 4, [])], 5).placeOf(across)).toBe(3)
  })
})
