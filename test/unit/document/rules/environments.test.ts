import { describe, expect, it } from 'vitest'
import { messagesOf } from './messages-of.ts'

describe('environments', () => {
  it('have names that differ by more than their case', () => {
    expect(messagesOf({ environments: [{ name: 'e' }, { name: 'E' }] })).toEqual([
      'the environment "E" is already defined as "e"',
    ])
  })

  it('have agents and pipelines that exist', () => {
    const environments = [{ agents: ['a1'], pipelines: ['P'] }]

    expect(messagesOf({ environments, pipelines: [{}], agents: [{ isDisabled: true }] })).toEqual(
      [],
    )
    expect(
      messagesOf({ environments, agents: [{ uuid: 'A1' }], templates: [{ name: 'p' }] }),
    ).toEqual([
      'the environment "e" names the agent "a1", which does not exist',
      'the environment "e" names the pipeline "P", which does not exist',
    ])
  })

  it('share agents, but not pipelines', () => {
    const environments = [
      { name: 'e', agents: ['a1'], pipelines: ['p'] },
      { name: 'f', agents: ['a1'], pipelines: ['P'] },
    ]

    expect(messagesOf({ environments, pipelines: [{}], agents: [{}] })).toEqual([
      'the pipeline "P" is already in an environment',
    ])
  })
})

describe('agents', () => {
  it.each(['10.0.0.1', '::1', 'fe80::1', 'localhost'])('may have the address %s', (ipaddress) => {
    expect(messagesOf({ agents: [{ ipaddress }] })).toEqual([])
  })

  it.each(['', ' ', '256.1.1.1', 'build-box.example.com'])(
    'may not have the address %j',
    (ipaddress) => {
      expect(messagesOf({ agents: [{ ipaddress }] })).toEqual([
        `the address "${ipaddress}" of the agent "box" is not an IP address`,
      ])
    },
  )

  it('have resources of plain characters', () => {
    expect(messagesOf({ agents: [{ resources: ['linux', '#{A}'] }] })).toEqual([
      'the resource "#{A}" may have only letters, digits, spaces and -_.|',
    ])
  })
})
