import { executionAsyncResource } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { keepTickShape } from '../../src/tick-shape.ts'

it('keeps an object of the kind that Node makes for each tick', async () => {
  const kept = keepTickShape()

  const ordinary = await new Promise<object>((resolve) => {
    process.nextTick(() => resolve(executionAsyncResource()))
  })

  expect(Reflect.ownKeys(kept ?? {})).toEqual(Reflect.ownKeys(ordinary))
  expect(kept).toHaveProperty('callback')
})
