import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fanIn,
  joinOrigins,
  type Origins,
  type UpstreamRun,
} from '../../../src/core/builds/fan-in.ts'

type Upstreams = readonly (readonly UpstreamRun[])[]

const origins: fc.Arbitrary<Origins> = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3'))
  .map((revisions) => new Map(Object.entries(revisions).map(([name, of]) => [name, new Set([of])])))

const upstreams: fc.Arbitrary<Upstreams> = fc
  .array(fc.array(origins, { maxLength: 4 }), { minLength: 1, maxLength: 4 })
  .chain((lists) =>
    fc
      .shuffledSubarray(
        Array.from({ length: lists.flat().length }, (_, id) => id + 1),
        {
          minLength: lists.flat().length,
        },
      )
      .map((ids) => {
        const left = [...ids]
        return lists.map((list) =>
          list
            .map((of) => ({ id: left.pop() ?? 0, origins: of }))
            .toSorted((one, other) => other.id - one.id),
        )
      }),
  )

/** Every choice of one run each that belongs together. */
function everyChoice(lists: Upstreams): readonly (readonly UpstreamRun[])[] {
  return lists
    .reduce<readonly (readonly UpstreamRun[])[]>(
      (choices, runs) => choices.flatMap((choice) => runs.map((run) => [...choice, run])),
      [[]],
    )
    .filter(belongTogether)
}

function belongTogether(runs: readonly UpstreamRun[]): boolean {
  const joined = runs.reduce<Origins | null>(
    (agreed, run) => agreed && joinOrigins(agreed, run.origins),
    new Map(),
  )
  return joined !== null
}

function isNewer(one: readonly UpstreamRun[], other: readonly UpstreamRun[]): boolean {
  const ages = one.map((run, index) => run.id - (other[index]?.id ?? 0))
  return ages.every((age) => age >= 0) && ages.some((age) => age > 0)
}

describe('fan-in', () => {
  it('finds runs that belong together whenever there are any, and none that newer ones outdo', () => {
    fc.assert(
      fc.property(upstreams, (lists) => {
        const choices = everyChoice(lists)

        const chosen = fanIn(lists)

        expect(chosen !== null).toBe(choices.length > 0)
        if (chosen === null) return
        expect(choices).toContainEqual(chosen)
        expect(choices.filter((choice) => isNewer(choice, chosen))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('starts a pipeline once for each run of the first one, in whatever order the others end', () => {
    const moment = fc.record({ branch: fc.constantFrom(0, 1), of: fc.integer({ min: 1, max: 5 }) })
    fc.assert(
      fc.property(
        fc.uniqueArray(moment, { selector: (at) => `${at.branch}/${at.of}` }),
        (passes) => {
          const branches: UpstreamRun[][] = [[], []]
          const started: string[] = []
          for (const [id, { branch, of }] of passes.entries()) {
            const run = { id: id + 1, origins: new Map([['a', new Set([`${of}`])]]) }
            branches[branch]?.unshift(run)
            const chosen = fanIn(branches)?.map((each) => [...(each.origins.get('a') ?? [])].join())
            const last = started.at(-1)
            if (chosen && chosen.join() !== last) started.push(chosen.join())
          }

          const through = passes.filter(({ of }) =>
            [0, 1].every((branch) => passes.some((at) => at.branch === branch && at.of === of)),
          )
          const whole = new Set(through.map(({ of }) => `${of},${of}`))
          expect(new Set(started)).toEqual(whole)
          expect(started).toHaveLength(whole.size)
        },
      ),
    )
  })
})
