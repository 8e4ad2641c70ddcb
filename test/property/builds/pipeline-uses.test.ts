import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PipelineUses } from '../../../src/builds/triggers/pipeline-uses.ts'
import {
  type WatchedMaterial,
  watchedMaterials,
  watchKey,
} from '../../../src/builds/materials/watched-materials.ts'
import type { Pipeline } from '../../../src/document/model/model.ts'
import { materialFingerprint } from '../../../src/document/materials/identity.ts'
import { replacedPart } from '../../../src/lib/common-items.ts'
import { pipelinesOf } from '../../support/builds/materials.ts'
import { dependency, git } from '../../support/documents/a-configuration.ts'

const NAMES = ['a', 'B', 'c', 'd'] as const
/** The upstream that every configuration has. */
const FIRST = 'first'

const materials = fc.uniqueArray(
  fc.record({
    name: fc.nat(30),
    password: fc.constantFrom('x', 'y'),
  }),
  { minLength: 1, maxLength: 2, selector: ({ name }) => name },
)
const described = fc.record({
  materials,
  isBelow: fc.constantFrom(true, false, false, false),
  timer: fc.constantFrom(undefined, '0 0 22 ? * *', '0 0 23 ? * *'),
})
type Described = typeof described extends fc.Arbitrary<infer Value> ? Value : never

function pipelines(all: readonly Described[]): readonly Pipeline[] {
  return pipelinesOf({
    pipelines: [
      { name: FIRST },
      ...all.map(({ materials: used, isBelow, timer }, n) => ({
        name: NAMES[n] ?? 'z',
        materials: [
          ...used.map(({ name, password }, place) =>
            git(`https://u:${password}@git.example.org/${name}`, { dest: `d${place}` }),
          ),
          ...(isBelow ? [dependency(FIRST)] : []),
        ],
        ...(timer === undefined ? {} : { timer }),
      })),
    ],
  })
}

function usesOf(all: readonly Pipeline[]): PipelineUses {
  const uses = new PipelineUses()
  for (const pipeline of all) uses.add(pipeline)
  return uses
}

/** All that uses tell of these pipelines. */
function told(uses: PipelineUses, all: readonly Pipeline[]) {
  const known = all.flatMap((pipeline) => pipeline.materials).map(materialFingerprint)
  return {
    materials: known.map((each) => uses.ofMaterial(each)),
    stage: uses.ofStage({ pipeline: FIRST, stage: 'build' }),
    timers: Object.fromEntries(uses.timers()),
  }
}

/** The pipelines of each repository, and the identity of its watch. */
function byFingerprint(watched: Iterable<WatchedMaterial>) {
  const entries = Array.from(watched, (each) => {
    return [each.fingerprint, { users: each.pipelines, key: watchKey(each.material) }] as const
  })
  return Object.fromEntries(entries)
}

/** The model of a pipeline that stays as it is is the same object. */
function continued(before: readonly Pipeline[], after: readonly Pipeline[]): readonly Pipeline[] {
  return after.map((each, n) => {
    const old = before[n]
    return JSON.stringify(old) === JSON.stringify(each) && old ? old : each
  })
}

describe('the uses of materials by pipelines', () => {
  it('are the same after some pipelines were replaced as when all are looked at', () => {
    let replacements = 0
    fc.assert(
      fc.property(
        fc.array(described, { minLength: 4, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(3), described), { minLength: 1, maxLength: 2 }),
        (first, edits) => {
          const before = pipelines(first)
          const edited = first.map((each, n) => edits.find(([at]) => at === n)?.[1] ?? each)
          const after = continued(before, pipelines(edited))
          const [uses, whole, former] = [usesOf(before), usesOf(after), usesOf(before)]
          const part = replacedPart(before, after)

          const replaced = uses.replace(part.removed, part.added)

          const all = [...before, ...after]
          expect(told(uses, all)).toEqual(told(replaced ? whole : former, all))
          if (replaced === null) return
          replacements += 1
          expect(new Set(replaced.changed)).toEqual(new Set(whole.changedSince(former)))
          const watched = new Map(watchedMaterials(before).map((each) => [each.fingerprint, each]))
          for (const each of replaced.unused) watched.delete(each)
          for (const each of replaced.watched) watched.set(each.fingerprint, each)
          expect(byFingerprint(watched.values())).toEqual(byFingerprint(watchedMaterials(after)))
        },
      ),
      { numRuns: 200 },
    )
    expect(replacements).toBeGreaterThan(40)
  })
})
