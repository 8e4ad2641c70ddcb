import { describe, expect, it } from 'vitest'
import {
  agentStatus,
  assertDeletable,
  ConfigStatus,
  renderFreeSpace,
  RuntimeStatus,
  type AgentCondition,
} from '../../../src/core/builds/agent.ts'
import { AGENT_EVENTS, nextAgent } from '../../../src/core/builds/agent-life-cycle.ts'

const ALL: readonly AgentCondition[] = ConfigStatus.options.flatMap((configStatus) =>
  RuntimeStatus.options.map((runtimeStatus) => ({ configStatus, runtimeStatus })),
)
const BUSY = new Set(['Building', 'Cancelled'])

function isRetired({ configStatus, runtimeStatus }: AgentCondition): boolean {
  return configStatus === 'Disabled' && !BUSY.has(runtimeStatus)
}

describe('agentStatus', () => {
  it.each([
    ['Pending', 'Idle', 'Pending'],
    ['Pending', 'Building', 'Pending'],
    ['Pending', 'Cancelled', 'Building (Cancelled)'],
    ['Pending', 'LostContact', 'Pending'],
    ['Pending', 'Missing', 'Pending'],
    ['Pending', 'Unknown', 'Pending'],
    ['Enabled', 'Idle', 'Idle'],
    ['Enabled', 'Building', 'Building'],
    ['Enabled', 'Cancelled', 'Building (Cancelled)'],
    ['Enabled', 'LostContact', 'LostContact'],
    ['Enabled', 'Missing', 'Missing'],
    ['Enabled', 'Unknown', 'Missing'],
    ['Disabled', 'Idle', 'Disabled'],
    ['Disabled', 'Building', 'Disabled'],
    ['Disabled', 'Cancelled', 'Building (Cancelled)'],
    ['Disabled', 'LostContact', 'Disabled'],
    ['Disabled', 'Missing', 'Disabled'],
    ['Disabled', 'Unknown', 'Disabled'],
  ] as const)('shows %s and %s as %s', (configStatus, runtimeStatus, shown) => {
    expect(agentStatus({ configStatus, runtimeStatus })).toBe(shown)
  })
})

describe('assertDeletable', () => {
  it.each(ALL.filter(isRetired))('lets $configStatus and $runtimeStatus go', (condition) => {
    expect(() => {
      assertDeletable({ uuid: 'a1', ...condition })
    }).not.toThrow()
  })

  it.each(ALL.filter((condition) => !isRetired(condition)))(
    'refuses $configStatus and $runtimeStatus',
    (condition) => {
      expect(() => {
        assertDeletable({ uuid: 'a1', ...condition })
      }).toThrow(expect.objectContaining({ code: 'agent-not-deletable' }))
    },
  )

  it('names every condition that failed', () => {
    expect(() => {
      assertDeletable({ uuid: 'a1', configStatus: 'Enabled', runtimeStatus: 'Building' })
    }).toThrow('The agent a1 is Enabled, not Disabled and is still building a job')
  })
})

describe('the life of an agent', () => {
  it.each([
    ['register', 'Pending', 'Unknown'],
    ['auto-register', 'Enabled', 'Idle'],
    ['config-enabled', 'Enabled', 'Missing'],
    ['config-disabled', 'Disabled', 'Missing'],
    ['config-unapproved', 'Pending', 'Unknown'],
  ] as const)('begins with %s as %s and %s', (event, configStatus, runtimeStatus) => {
    expect(nextAgent(null, event)).toEqual({ configStatus, runtimeStatus })
  })

  it('begins with no other event', () => {
    const beginnings = AGENT_EVENTS.filter((event) => nextAgent(null, event) !== null)

    expect(beginnings).toEqual([
      'register',
      'auto-register',
      'config-enabled',
      'config-disabled',
      'config-unapproved',
    ])
  })

  it.each(ALL)('with $configStatus and $runtimeStatus ends as the rules say', (agent) => {
    const endings = AGENT_EVENTS.filter((event) => nextAgent(agent, event) === null)

    expect(endings).toEqual([
      ...(agent.configStatus === 'Pending' ? ['silence'] : []),
      ...(isRetired(agent) ? ['delete'] : []),
      ...(agent.configStatus === 'Pending' ? [] : ['config-lost']),
    ])
  })

  it.each(ALL)(
    'an administrator decides, whatever it does: $configStatus $runtimeStatus',
    (agent) => {
      const runtimeStatus = agent.runtimeStatus === 'Unknown' ? 'Idle' : agent.runtimeStatus

      for (const event of ['enable', 'config-enabled'] as const) {
        expect(nextAgent(agent, event)).toEqual({ configStatus: 'Enabled', runtimeStatus })
      }
      for (const event of ['disable', 'config-disabled'] as const) {
        expect(nextAgent(agent, event)).toEqual({ ...agent, configStatus: 'Disabled' })
      }
    },
  )

  it.each(ALL)('its own words never change a decision: $configStatus $runtimeStatus', (agent) => {
    const events = ['report-idle', 'report-building', 'assign', 'cancel-job', 'register'] as const

    for (const event of events) {
      expect(nextAgent(agent, event)?.configStatus).toBe(agent.configStatus)
    }
  })

  it.each(ALL)('approves itself with the key only while Pending: $configStatus', (agent) => {
    const approved = nextAgent(agent, 'auto-register')?.configStatus

    expect(approved).toBe(agent.configStatus === 'Pending' ? 'Enabled' : agent.configStatus)
  })

  it.each(ALL)('follows from its reports: $configStatus $runtimeStatus', (agent) => {
    const stopping = agent.runtimeStatus === 'Cancelled'

    expect(nextAgent(agent, 'report-idle')?.runtimeStatus).toBe('Idle')
    expect(nextAgent(agent, 'report-building')?.runtimeStatus).toBe(
      stopping ? 'Cancelled' : 'Building',
    )
  })

  it.each(ALL)('is building once it has a job, if it may: $configStatus', (agent) => {
    const next = nextAgent(agent, 'assign')?.runtimeStatus

    expect(next).toBe(agent.configStatus === 'Enabled' ? 'Building' : agent.runtimeStatus)
  })

  it.each(ALL)('can be stopped only while building: $runtimeStatus', (agent) => {
    const next = nextAgent(agent, 'cancel-job')?.runtimeStatus

    expect(next).toBe(agent.runtimeStatus === 'Building' ? 'Cancelled' : agent.runtimeStatus)
  })

  it.each(ALL.filter(({ configStatus }) => configStatus !== 'Pending'))(
    'is lost when it falls silent: $configStatus $runtimeStatus',
    (agent) => {
      const next = nextAgent(agent, 'silence')?.runtimeStatus

      expect(next).toBe(agent.runtimeStatus === 'Missing' ? 'Missing' : 'LostContact')
    },
  )
})

describe('renderFreeSpace', () => {
  it.each([
    [null, 'Unknown'],
    [0, '0.0 B'],
    [1023, '1023.0 B'],
    [1024, '1.0 KB'],
    [1024 ** 2 - 1, '1.0 MB'],
    [13_207_024_435, '12.3 GB'],
    [5 * 1024 ** 4, '5.0 TB'],
    [2000 * 1024 ** 5, '2000.0 PB'],
  ])('writes %j as %s', (bytes, text) => {
    expect(renderFreeSpace(bytes)).toBe(text)
  })
})
