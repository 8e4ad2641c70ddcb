import { describe, expect, it } from 'vitest'
import {
  byAge,
  maySuit,
  sharesEnvironment,
  spreadJob,
  type AgentOffer,
} from '../../../src/core/builds/assignment.ts'

function anAgent(facts: Partial<AgentOffer> = {}): AgentOffer {
  return { uuid: 'a1', resources: [], environments: [], ...facts }
}

describe('sharesEnvironment', () => {
  it.each([
    { pipeline: [], agent: [], shares: true },
    { pipeline: ['uat'], agent: [], shares: false },
    { pipeline: [], agent: ['uat'], shares: false },
    { pipeline: ['uat'], agent: ['prod', 'UAT'], shares: true },
    { pipeline: ['uat'], agent: ['prod'], shares: false },
  ])('of $pipeline and $agent is $shares', ({ pipeline, agent, shares }) => {
    expect(sharesEnvironment(pipeline, agent)).toBe(shares)
  })
})

describe('maySuit', () => {
  const job = { resources: [], pinnedTo: null, environments: [] }

  it.each([
    { needs: [], offers: [], suits: true },
    { needs: [], offers: ['linux'], suits: true },
    { needs: ['linux'], offers: [], suits: false },
    { needs: [' Linux ', 'JDK'], offers: ['jdk', 'LINUX', 'extra'], suits: true },
    { needs: ['linux', 'jdk'], offers: ['linux'], suits: false },
  ])('of needs $needs and offers $offers is $suits', ({ needs, offers, suits }) => {
    expect(maySuit({ ...job, resources: needs }, anAgent({ resources: offers }))).toBe(suits)
  })

  it('asks a pinned job for its agent and not for resources', () => {
    const pinned = { ...job, resources: ['linux'], pinnedTo: 'a1' }

    expect(maySuit(pinned, anAgent())).toBe(true)
    expect(maySuit(pinned, anAgent({ uuid: 'a2', resources: ['linux'] }))).toBe(false)
  })

  it('keeps a pinned job within its environments', () => {
    expect(maySuit({ ...job, pinnedTo: 'a1', environments: ['uat'] }, anAgent())).toBe(false)
  })
})

describe('byAge', () => {
  it('puts the oldest first, and equals in the order of their ids', () => {
    const jobs = [
      { id: 3, scheduledDate: 20 },
      { id: 2, scheduledDate: 20 },
      { id: 9, scheduledDate: 10 },
    ]

    expect(jobs.toSorted(byAge).map(({ id }) => id)).toEqual([9, 2, 3])
  })
})

describe('spreadJob', () => {
  const job = { name: 'unit', resources: ['linux'], environments: [] }
  const agents = [
    anAgent({ uuid: 'a1', resources: ['linux'] }),
    anAgent({ uuid: 'a2' }),
    anAgent({ uuid: 'a3', resources: ['Linux'] }),
    anAgent({ uuid: 'a4', resources: ['linux'], environments: ['uat'] }),
  ]

  it('keeps a plain job as it is', () => {
    expect(spreadJob({ ...job, spread: { type: 'one' } }, agents)).toEqual([
      { name: 'unit', pinnedTo: null },
    ])
  })

  it('numbers the instances of a job that runs several times', () => {
    expect(spreadJob({ ...job, spread: { type: 'instances', count: 2 } }, [])).toEqual([
      { name: 'unit-runInstance-1', pinnedTo: null },
      { name: 'unit-runInstance-2', pinnedTo: null },
    ])
  })

  it('pins an instance to every agent that fits', () => {
    expect(spreadJob({ ...job, spread: { type: 'on-all' } }, agents)).toEqual([
      { name: 'unit-runOnAll-1', pinnedTo: 'a1' },
      { name: 'unit-runOnAll-2', pinnedTo: 'a3' },
    ])
  })
})
