import { describe, expect, it } from 'vitest'
import {
  aConfiguration,
  dependency,
  element,
  exec,
  git,
} from '../../support/documents/a-configuration.ts'
import { realRevisions, validDocuments } from '../../support/documents/config-corpus.ts'
import { casesOf } from '../../support/programs/all-cases.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'
import { faultOf, isFollowed, quicklyMerged, randomTriple, touch } from './merge-oracle.ts'

/** The triples of real documents. */
const TRIPLES = casesOf({ all: 2_000, mostly: 500 })

const VARIABLES = { A: '1', B: '1', C: '1' }
const STAGES = [
  {
    name: 'build',
    variables: VARIABLES,
    jobs: ['one', 'two'].map((job) => ({
      name: job,
      variables: VARIABLES,
      tasks: [exec('make'), exec('make', 'all'), exec('ls')],
      resources: ['linux', 'fast'],
    })),
  },
]
const AUTHORIZATION = element('authorization', {}, [
  element('view', {}, [element('user', {}, ['x']), element('user', {}, ['y'])]),
])

/** Things that look alike: nothing but their names tells them apart. */
const MADE = aConfiguration({
  groups: ['first', 'second'].map((group) => ({
    group,
    authorization: AUTHORIZATION,
    pipelines: ['a', 'b', 'c'].map((name) => ({
      name: `${group}-${name}`,
      variables: VARIABLES,
      materials: [
        git('https://example.org/all.git'),
        ...(name === 'a' ? [] : [dependency(`${group}-a`)]),
      ],
      stages: STAGES,
    })),
  })),
  environments: [
    { name: 'test', pipelines: ['first-a', 'second-a'], agents: ['u1'] },
    { name: 'live', pipelines: ['first-b', 'second-b'], agents: ['u2'] },
  ],
  agents: ['u1', 'u2', 'u3', 'u4'].map((uuid) => ({ uuid, resources: ['linux', 'fast'] })),
})

/**
 * The faults of the merges of random triples, and the number of triples with edits of different parts, of those for
 * which it is enough to put members in their place, and of those with a change of a renamed thing that is followed.
 */
function judge(documents: readonly string[], count: number) {
  const faults: string[] = []
  let apart = 0
  let seen = 0
  let quick = 0
  let followed = 0
  for (let seed = 0; seen < count; seed += 1) {
    const triple = randomTriple(documents[seed % documents.length] ?? '', seed)
    if (triple === null) continue
    seen += 1
    if (!touch(triple.ours.edits, triple.theirs.edits)) apart += 1
    if (quicklyMerged(triple) !== null) quick += 1
    if (isFollowed(triple)) followed += 1
    const fault = faultOf(triple)
    if (fault === null) continue
    const words = [triple.ours, triple.theirs].map(({ edits }) => edits.map((edit) => edit.words))
    faults.push(`${seed}: ${fault} after ${JSON.stringify(words)}`)
  }
  return { faults, apart, quick, followed }
}

describe('the merge of two edits', () => {
  it(
    'is the edits one after the other where they touch different parts, and puts none elsewhere',
    { tags: ['long'] },
    () => {
      const { faults, apart } = judge([MADE], 30)

      expect(faults).toEqual([])
      expect(apart).toBeGreaterThan(15)
    },
  )
})

describe.skipIf(SHARED_DATA === null)(
  'the merge of two edits of real documents (shared data)',
  () => {
    it(
      'is the edits one after the other, or says where they contradict each other',
      { tags: ['long'], timeout: 240_000 },
      () => {
        const documents = [...realRevisions(2), ...validDocuments()]
        const edited = documents.filter((document) => document.includes('<pipeline '))
        const { faults, apart, quick, followed } = judge(edited, TRIPLES)

        expect(faults).toEqual([])
        expect(followed).toBeGreaterThan(TRIPLES / 40)
        expect(quick).toBeGreaterThan(TRIPLES / 20)
        expect(apart).toBeGreaterThan(TRIPLES / 3)
      },
    )
  },
)
