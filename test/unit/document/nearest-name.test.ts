import { describe, expect, it } from 'vitest'
import { nearestName } from '../../../src/document/structure/nearest-name.ts'

const KNOWN = ['name', 'timeout', 'runOnAllAgents', 'runInstanceCount']

describe('the nearest name', () => {
  it.each([
    ['tiemout', 'timeout'],
    ['Timeout', 'timeout'],
    ['timout', 'timeout'],
    ['nam', 'name'],
    ['runOnAllAgent', 'runOnAllAgents'],
    ['run-instance-count', 'runInstanceCount'],
  ])('of %s is %s', (typed, meant) => {
    expect(nearestName(typed, KNOWN)).toBe(meant)
  })

  it.each(['', 'xyz', 'elasticProfileId', 'n'.repeat(1_000_000)])(
    'of others is nothing',
    (typed) => {
      expect(nearestName(typed, KNOWN)).toBeNull()
    },
  )
})
