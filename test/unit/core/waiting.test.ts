import { describe, expect, it } from 'vitest'
import { type Candidate, explainWait, type PlacedNeed } from '../../../src/core/builds/waiting.ts'

const IDLE = { configStatus: 'Enabled', runtimeStatus: 'Idle' } as const

function anAgent(facts: Partial<Candidate> = {}): Candidate {
  return { uuid: 'a1', resources: [], environments: [], condition: IDLE, ...facts }
}

function reasonOf(need: Partial<PlacedNeed>, ...agents: readonly Candidate[]): string {
  const asked = { resources: [], environments: [], pinnedTo: null, ...need }
  return explainWait(asked, agents).reason
}

describe('why a job waits', () => {
  const linux = anAgent({ resources: ['linux'] })
  const uat = anAgent({ environments: ['uat'] })

  it.each([
    [{}, [], 'there is no agent'],
    [{ resources: ['docker'] }, [linux], 'no agent has the resource docker'],
    [{ resources: ['docker', 'gpu'] }, [linux], 'no agent has the resources docker or gpu'],
    [
      { resources: ['linux', 'gpu'] },
      [linux, anAgent({ resources: ['gpu'] })],
      'no agent has all of the resources linux and gpu',
    ],
    [{ environments: ['production'] }, [uat], 'no agent is in the environment production'],
    [
      { environments: ['uat'], resources: ['docker'] },
      [uat, anAgent({ resources: ['docker'] })],
      'no agent in the environment uat has the resource docker',
    ],
    [{}, [uat], 'every agent is in an environment, and the pipeline is in none'],
    [
      { resources: ['gpu', 'cuda'] },
      [linux, anAgent({ resources: ['linux', 'GPU', 'cuda'], environments: ['production'] })],
      'the one agent that has the resources gpu and cuda is in the environment production, and the pipeline is in none',
    ],
    [
      { resources: ['gpu'] },
      [
        linux,
        anAgent({ resources: ['gpu'], environments: ['uat'] }),
        anAgent({ resources: ['gpu'], environments: ['uat', 'production'] }),
      ],
      'the 2 agents that have the resource gpu are in the environments uat and production, and the pipeline is in none',
    ],
    [
      { resources: ['linux', 'gpu', 'docker'] },
      [linux, anAgent({ resources: ['gpu'], environments: ['uat'] })],
      'no agent has the resource docker',
    ],
    [
      { resources: ['linux', 'gpu'] },
      [linux, anAgent({ resources: ['gpu'], environments: ['uat'] })],
      'no agent outside the environments has the resource gpu',
    ],
    [
      { pinnedTo: 'a1' },
      [uat],
      'it may run on the agent a1 alone, which is in an environment, and the pipeline is in none',
    ],
    [{ pinnedTo: 'b2' }, [linux], 'it may run on the agent b2 alone, which is gone'],
  ])('of %o beside %o is: %s', (need, agents, reason) => {
    expect(reasonOf(need, ...agents)).toBe(reason)
  })

  it('says what the agents do that could take it', () => {
    const disabled = anAgent({ condition: { ...IDLE, configStatus: 'Disabled' } })
    const busy = anAgent({ condition: { ...IDLE, runtimeStatus: 'Building' } })
    const lost = anAgent({ condition: { ...IDLE, runtimeStatus: 'LostContact' } })

    expect(reasonOf({}, busy)).toBe('the one agent that could take it is busy')
    expect(reasonOf({}, disabled, disabled)).toBe('both agents that could take it are disabled')
    expect(reasonOf({}, lost, lost, lost)).toBe('all 3 agents that could take it have lost contact')
    expect(reasonOf({}, busy, lost, lost)).toBe(
      'of the 3 agents that could take it, 1 is busy and 2 have lost contact',
    )
  })
})
