import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/document/document.ts'
import { listOldAgents, parseOldAgents } from '../../../src/operations/import/old-agents.ts'
import { cruise, read } from '../../support/documents/structures.ts'

const ENVIRONMENTS = '<environments><environment name="Prod" /></environments>'
const KNOWN = '<agents><agent hostname="h" ipaddress="10.0.0.9" uuid="known" /></agents>'
const DOCUMENT = read(cruise(`${ENVIRONMENTS}${KNOWN}`, '139'))

const NEWER = {
  uuid: 'new-1',
  hostname: 'one',
  ip_address: '10.0.0.1',
  resources: ['linux', 'a/b'],
  environments: [{ name: 'prod', origin: { type: 'gocd' } }, { name: 'other' }],
  agent_config_state: 'Enabled',
  agent_state: 'Idle',
}

function listed(...agents: readonly object[]) {
  const text = JSON.stringify({ _embedded: { agents } })
  return listOldAgents(DOCUMENT, parseOldAgents(text))
}

describe('the agents of another server', () => {
  it('are listed with their resources and environments, disabled where they were', () => {
    const disabled = { ...NEWER, uuid: 'new-2', agent_config_state: 'Disabled', environments: [] }
    const { text, report } = listed(NEWER, disabled)

    expect(report).toEqual({
      taken: [
        { uuid: 'new-1', hostname: 'one', isDisabled: false },
        { uuid: 'new-2', hostname: 'one', isDisabled: true },
      ],
      left: [],
      ignored: [
        { uuid: 'new-1', kind: 'environment', name: 'other' },
        { uuid: 'new-1', kind: 'resource', name: 'a/b' },
        { uuid: 'new-2', kind: 'resource', name: 'a/b' },
      ],
    })
    const reading = readDocument(new TextEncoder().encode(text ?? ''))
    expect(reading.ok && reading.document.configuration).toMatchObject({
      environments: [{ name: 'Prod', agents: [{ uuid: 'new-1' }] }],
      agents: [
        { uuid: 'known' },
        { uuid: 'new-1', isDisabled: false, resources: [{ name: 'linux' }] },
        { uuid: 'new-2', isDisabled: true },
      ],
    })
  })

  it('are taken from the list of the first versions too', () => {
    const older = { uuid: 'u', agent_name: 'two', ip_address: '::1', status: 'Disabled' }
    const { report } = listOldAgents(DOCUMENT, parseOldAgents(JSON.stringify([older])))

    expect(report.taken).toEqual([{ uuid: 'u', hostname: 'two', isDisabled: true }])
  })

  it.each([
    [{ agent_config_state: 'Pending' }, 'nobody has approved it there'],
    [{ elastic_plugin_id: 'docker' }, 'a plugin has started it'],
    [{ uuid: '../etc' }, 'no agent here can have its uuid'],
    [{ ip_address: 'build-host' }, 'its address "build-host" is not an IP address'],
    [{ uuid: 'known' }, 'the configuration has it already'],
  ])('are left where they have %j, with the reason', (more, because) => {
    const { text, report } = listed({ ...NEWER, ...more })

    expect(text).toBe(null)
    expect(report.taken).toEqual([])
    expect(report.left).toMatchObject([{ because }])
  })

  it.each(['', '[', '{}', '[{"hostname":"h"}]', '{"_embedded":{"agents":{}}}'])(
    'are not found in %j',
    (text) => {
      expect(() => parseOldAgents(text)).toThrow('The file of agents cannot be used: ')
    },
  )
})
