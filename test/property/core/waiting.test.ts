import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigStatus, RuntimeStatus } from '../../../src/core/builds/agent.ts'
import { maySuit } from '../../../src/core/builds/assignment.ts'
import { explainWait } from '../../../src/core/builds/waiting.ts'

const names = (pool: readonly string[]) => fc.subarray([...pool])
const uuid = fc.constantFrom('a1', 'a2', 'a3')
const need = fc.record({
  resources: names(['docker', 'Linux', ' gpu ']),
  environments: names(['uat', 'production']),
  pinnedTo: fc.option(uuid, { nil: null, freq: 3 }),
})
const agent = fc.record({
  uuid,
  resources: names(['DOCKER', 'linux', 'gpu']),
  environments: names(['UAT', 'production']),
  condition: fc.record({
    configStatus: fc.constantFrom(...ConfigStatus.options),
    runtimeStatus: fc.constantFrom(...RuntimeStatus.options),
  }),
})
const agents = fc.uniqueArray(agent, { selector: (each) => each.uuid, maxLength: 3 })

describe('the explanation of a wait', () => {
  it('says that none suits exactly when no agent matches', () => {
    fc.assert(
      fc.property(need, agents, (asked, there) => {
        const suits = there.some((each) => maySuit(asked, each))

        expect(explainWait(asked, there).isUnsuited).toBe(!suits)
      }),
    )
  })

  it('calls a job stuck exactly when no agent that is enabled and heard of could take it', () => {
    fc.assert(
      fc.property(need, agents, (asked, there) => {
        const atWork = there.filter(
          ({ condition: { configStatus, runtimeStatus } }) =>
            configStatus === 'Enabled' && ['Idle', 'Building', 'Cancelled'].includes(runtimeStatus),
        )

        const { isStuck, reason } = explainWait(asked, there)

        expect(isStuck).toBe(!atWork.some((each) => maySuit(asked, each)))
        expect(reason).not.toBe('')
      }),
    )
  })
})
