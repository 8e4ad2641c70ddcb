import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { openInvitations, withKey } from '../../support/agents/invitations.ts'
import { html, post } from '../../support/pages/agents-page.ts'
import { openService } from '../../support/service/service.ts'

const MAKE = [
  ['action', 'create'],
  ['hours', '24'],
  ['resources', 'linux, docker'],
] as const

describe('the page that invites agents', () => {
  it('shows the command once, with the public address, and lists the invitation until it is used', async () => {
    const service = await openService([
      '--public-url',
      'https://ci.example.org',
      '--base-path',
      '/go',
    ])

    const made = await post(service, '/go/agent-invitations', MAKE)

    const text = await made.text()
    const [command = '', invitation = ''] =
      /cairn agent --server \S+ --work-dir \S+ --invitation (cairninvite_\w{36})/.exec(text) ?? []
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(command).toContain('--server https://ci.example.org/go --work-dir')
    for (const page of ['/go/agents', '/go/agent-invitations']) {
      const shown = await html(service, page)
      expect(shown).not.toContain(invitation)
      expect(shown).toContain('linux, docker')
    }
    const agent = new CallingAgent({
      fetch: (path, init) => service.fetch(`/go${path}`, init),
    })
    expect((await agent.register(withKey(invitation))).configStatus).toBe('Enabled')
    expect(await html(service, '/go/agents')).not.toContain('Open invitations')
    expect(await html(service, '/go/agent-invitations')).toContain('No open invitations')
  })

  it('revokes one, and says what is wrong with a form', async () => {
    const service = await openService()
    await post(service, '/agent-invitations', MAKE)
    const [id = ''] = await openInvitations(service)

    const wrong = await post(service, '/agent-invitations', [...MAKE, ['resources', 'a/b']])
    const revoked = await post(service, '/agent-invitations', [
      ['action', 'revoke'],
      ['invitation', id],
    ])

    expect(wrong.status).toBe(400)
    expect(await wrong.text()).toContain('&quot;a/b&quot; is not the name of a resource.')
    expect(revoked.status).toBe(303)
    expect(await html(service, revoked.headers.get('location') ?? '')).toContain(
      `Revoked invitation ${id}.`,
    )
    expect(await openInvitations(service)).toEqual([])
  })
})
