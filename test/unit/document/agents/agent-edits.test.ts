import { describe, expect, it } from 'vitest'
import {
  changeAgent,
  changeAgentAddress,
  deleteAgent,
  disableAgent,
  enableAgent,
} from '../../../../src/document/agents/agent-edits.ts'
import { registerAgents } from '../../../../src/document/agents/register-agents.ts'
import { xmlDocument } from '../../../support/documents/xml-documents.ts'

const TEXT = `<cruise schemaVersion="75">
  <!-- our servers -->
  <server />
  <environments>
    <environment name="UAT">
      <agents>
        <physical uuid="u1" />
      </agents>
    </environment>
    <environment name="Live">
      <environmentvariables />
      <pipelines />
    </environment>
  </environments>
  <agents>
    <agent hostname="one" ipaddress="10.0.0.1" uuid="u1" /> <!-- big -->
    <agent uuid='u2' hostname='two' ipaddress='10.0.0.2' isDisabled='true'/>
    <agent hostname="three" ipaddress="10.0.0.3" uuid="u3" isDenied="1" isDisabled="false" />
  </agents>
</cruise>
`

const ADDRESS = { hostname: 'new-host', ipaddress: '10.0.0.9' }

function agent(uuid: string, more: { resources?: string[]; environments?: string[] } = {}) {
  return { uuid, ...ADDRESS, resources: [], environments: [], ...more }
}

function crowd(prefix: string) {
  return Array.from({ length: 10_000 }, (_, index) =>
    agent(`${prefix}${index}`, { environments: ['UAT'] }),
  )
}

/** The lines that differ, as a unified diff would show them. */
function changedLines(before: string, after: string | null): string[] {
  const old = before.split('\n')
  const now = (after ?? '').split('\n')
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `-${line.trim()}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+${line.trim()}`),
  ]
}

describe('changeAgent', () => {
  it('touches the lines that it is about, and no other', () => {
    const changes = { hostname: 'uno', resources: ['linux', 'docker'], environments: ['live'] }

    const changed = changeAgent(xmlDocument(TEXT), 'u1', changes)

    const moved = changedLines(TEXT, changed)
    expect(moved.filter((line) => line.startsWith('-'))).toEqual([
      '-<agent hostname="one" ipaddress="10.0.0.1" uuid="u1" /> <!-- big -->',
    ])
    expect(changed).toContain('</agent> <!-- big -->')
    expect(changed).toMatch(/"UAT">\s*<agents ?\/>/)
    expect(changed).toMatch(
      /"Live">\s*<environmentvariables \/>\s*<agents>\s*<physical uuid="u1" \/>/,
    )
  })

  it('keeps what stays, and says when nothing changes', () => {
    const before = changeAgent(xmlDocument(TEXT), 'u1', { resources: ['a', 'b', 'c'] }) ?? ''
    const after = changeAgent(xmlDocument(before), 'u1', { resources: ['c', 'd', 'a'] })
    const none = changeAgent(xmlDocument(before), 'u1', { resources: [] })

    expect(changedLines(before, after)).toEqual([
      '-<resource>b</resource>',
      '+<resource>d</resource>',
    ])
    expect(none).not.toContain('<resources')
    expect(changeAgent(xmlDocument(before), 'u1', { resources: ['c', 'b', 'a'] })).toBeNull()
    expect(changeAgent(xmlDocument(TEXT), 'u1', { environments: ['uat'] })).toBeNull()
    expect(changeAgent(xmlDocument(TEXT), 'u9', { hostname: 'x' })).toBeNull()
  })

  it('replaces all resources by others', () => {
    const before = changeAgent(xmlDocument(TEXT), 'u1', { resources: ['a'] }) ?? ''

    const after = changeAgent(xmlDocument(before), 'u1', { resources: ['b'] })

    expect(changedLines(before, after)).toEqual([
      '-<resource>a</resource>',
      '+<resource>b</resource>',
    ])
  })
})

describe('enableAgent', () => {
  it('takes the flags away, that of older schemas too', () => {
    expect(changedLines(TEXT, enableAgent(xmlDocument(TEXT), agent('u2')))).toEqual([
      `-<agent uuid='u2' hostname='two' ipaddress='10.0.0.2' isDisabled='true'/>`,
      `+<agent uuid='u2' hostname='two' ipaddress='10.0.0.2'/>`,
    ])
    expect(changedLines(TEXT, enableAgent(xmlDocument(TEXT), agent('u3')))).toEqual([
      '-<agent hostname="three" ipaddress="10.0.0.3" uuid="u3" isDenied="1" isDisabled="false" />',
      '+<agent hostname="three" ipaddress="10.0.0.3" uuid="u3" isDisabled="false" />',
    ])
  })

  it('changes nothing for an agent that is enabled', () => {
    expect(enableAgent(xmlDocument(TEXT), agent('u1'))).toBeNull()
  })

  it('lists an agent that is pending', () => {
    const enabled = enableAgent(xmlDocument(TEXT), agent('u9', { resources: ['linux', ' linux '] }))

    expect(changedLines(TEXT, enabled)).toEqual([
      '+<agent hostname="new-host" ipaddress="10.0.0.9" uuid="u9">',
      '+<resources>',
      '+<resource>linux</resource>',
      '+</resources>',
      '+</agent>',
    ])
  })
})

describe('disableAgent', () => {
  it('flags the agent', () => {
    expect(changedLines(TEXT, disableAgent(xmlDocument(TEXT), agent('u1')))).toEqual([
      '-<agent hostname="one" ipaddress="10.0.0.1" uuid="u1" /> <!-- big -->',
      '+<agent hostname="one" ipaddress="10.0.0.1" uuid="u1" isDisabled="true" /> <!-- big -->',
    ])
  })

  it.each(['u2', 'u3'])('changes nothing for %s, which is disabled or denied', (uuid) => {
    expect(disableAgent(xmlDocument(TEXT), agent(uuid))).toBeNull()
  })

  it('lists an agent that is pending, as disabled', () => {
    expect(changedLines(TEXT, disableAgent(xmlDocument(TEXT), agent('u9')))).toEqual([
      '+<agent hostname="new-host" ipaddress="10.0.0.9" uuid="u9" isDisabled="true" />',
    ])
  })
})

describe('deleteAgent', () => {
  it('takes the agent off the list and out of its environments', () => {
    expect(deleteAgent(xmlDocument(TEXT), 'u1')).toBe(
      TEXT.replace(
        '<agents>\n        <physical uuid="u1" />\n      </agents>',
        '<agents />',
      ).replace('<agent hostname="one" ipaddress="10.0.0.1" uuid="u1" />', ''),
    )
  })

  it('closes a list that it leaves empty', () => {
    const text = '<cruise>\n  <agents>\n    <agent uuid="u1" />\n  </agents>\n</cruise>'

    expect(deleteAgent(xmlDocument(text), 'u1')).toBe('<cruise>\n  <agents />\n</cruise>')
  })

  it('changes nothing for an agent that nobody lists', () => {
    expect(deleteAgent(xmlDocument(TEXT), 'U1')).toBeNull()
  })
})

describe('changeAgentAddress', () => {
  it('notes where the agent is', () => {
    expect(
      changedLines(TEXT, changeAgentAddress(xmlDocument(TEXT), { uuid: 'u2', ...ADDRESS })),
    ).toEqual([
      `-<agent uuid='u2' hostname='two' ipaddress='10.0.0.2' isDisabled='true'/>`,
      `+<agent uuid='u2' hostname='new-host' ipaddress='10.0.0.9' isDisabled='true'/>`,
    ])
  })

  it('changes nothing when the agent is there already, or not listed', () => {
    const there = { uuid: 'u1', hostname: 'one', ipaddress: '10.0.0.1' }

    expect(changeAgentAddress(xmlDocument(TEXT), there)).toBeNull()
    expect(changeAgentAddress(xmlDocument(TEXT), { uuid: 'u9', ...ADDRESS })).toBeNull()
  })
})

describe('registerAgents', () => {
  it('lists the new agents in one edit and leaves the others as they are', () => {
    const { text, registered } = registerAgents(xmlDocument(TEXT), [
      agent('u8'),
      agent('u1'),
      agent('u9'),
      agent('u9'),
    ])

    expect(registered).toEqual(['u8', 'u9'])
    expect(changedLines(TEXT, text)).toEqual([
      '+<agent hostname="new-host" ipaddress="10.0.0.9" uuid="u8" />',
      '+<agent hostname="new-host" ipaddress="10.0.0.9" uuid="u9" />',
    ])
  })

  it('adds them to the environments that exist, whatever the case of the name', () => {
    const asked = [agent('u8', { environments: ['uat', 'LIVE', 'Moon'] })]

    const { text, ignored } = registerAgents(xmlDocument(TEXT), asked)

    expect(text).toContain(
      '      <agents>\n        <physical uuid="u1" />\n        <physical uuid="u8" />\n      </agents>',
    )
    expect(text).toContain(
      '      <environmentvariables />\n      <agents>\n        <physical uuid="u8" />\n      </agents>\n      <pipelines />',
    )
    expect(ignored).toEqual([{ uuid: 'u8', kind: 'environment', name: 'Moon' }])
  })

  it('leaves out resources that a configuration cannot hold, and says so', () => {
    const asked = [agent('u8', { resources: ['ok', '', 'a/b'] })]

    const { text, ignored } = registerAgents(xmlDocument(TEXT), asked)

    expect(text?.match(/<resource>.*/g)).toEqual(['<resource>ok</resource>'])
    expect(ignored).toEqual([{ uuid: 'u8', kind: 'resource', name: 'a/b' }])
  })

  it('makes the list where there is none, in its place', () => {
    const text = '<cruise>\n\t<server/>\n\t<pipelines/>\n</cruise>\n'

    expect(registerAgents(xmlDocument(text), [agent('u1')]).text).toBe(
      '<cruise>\n\t<server/>\n\t<pipelines/>\n\t<agents>\n\t\t<agent hostname="new-host" ipaddress="10.0.0.9" uuid="u1"/>\n\t</agents>\n</cruise>\n',
    )
  })

  it('changes nothing when all are listed', () => {
    expect(registerAgents(xmlDocument(TEXT), [agent('u1')]).text).toBeNull()
  })

  it('copes with ten thousand beside ten thousand', { tags: ['long'] }, () => {
    const crowded = registerAgents(xmlDocument(TEXT), crowd('a')).text ?? ''

    const { text } = registerAgents(xmlDocument(crowded), crowd('b'))

    expect(text?.match(/<agent /g)).toHaveLength(20_003)
    expect(text?.match(/<physical /g)).toHaveLength(20_001)
  })
})
