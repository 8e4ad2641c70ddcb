import { expect, it } from 'vitest'
import { LazyList } from '../../../src/lib/lazy-list.ts'
import { stepsWithin } from '../../../src/pages/runs/config-markers.ts'

const COUNT = 100_000

/** Steps a minute apart, the newest at the time COUNT, and the number of those that were made. */
function manySteps() {
  const made: number[] = []
  const steps = new LazyList(COUNT, (place) => {
    made.push(place)
    return { revision: { time: COUNT - place } }
  })
  return { made, steps }
}

it('the changes between runs are found without a look at all revisions before them', () => {
  const { made, steps } = manySteps()

  const found = stepsWithin(steps, { until: Infinity, after: COUNT - 5 })
  const newest = stepsWithin(steps, { until: Infinity, after: -Infinity })

  expect(found.map(({ revision }) => COUNT - revision.time)).toEqual([0, 1, 2, 3, 4])
  expect(newest).toHaveLength(60)
  expect(made.length).toBeLessThan(200)
})

it('a commit with an older time than the one before it hides no change between runs', () => {
  const times = [90, 10, 80, 70, 20, 60]

  const found = stepsWithin(
    times.map((time) => ({ revision: { time } })),
    { until: 85, after: 50 },
  )

  expect(found.map(({ revision }) => revision.time)).toEqual([80, 70, 60])
})
