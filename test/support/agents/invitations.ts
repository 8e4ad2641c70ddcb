import { expect } from 'vitest'
import { z } from 'zod'
import type { RegisterRequest } from '../../../src/wire/agent/registration.ts'
import type { CalledService } from '../service/service.ts'
import { InvitationEntry, MadeInvitationBody } from '../../../src/wire/identity-bodies.ts'

type Called = Pick<CalledService, 'fetch'>

/** Makes an invitation as an administrator. */
export async function invite(
  service: Called,
  wanted: { resources?: string[]; environments?: string[]; expires?: string } = {},
): Promise<MadeInvitationBody> {
  const body = JSON.stringify(wanted)
  const answer = await service.fetch('/api/agent-invitations', { method: 'POST', body })
  expect(answer.status).toBe(200)
  return MadeInvitationBody.parse(await answer.json())
}

/** The ids of open invitations. */
export async function openInvitations(service: Called): Promise<string[]> {
  const answer = await service.fetch('/api/agent-invitations')
  return z
    .array(InvitationEntry)
    .parse(await answer.json())
    .map(({ id }) => id)
}

/** The registration of an agent that has an invitation, or a key. */
export function withKey(key: string): RegisterRequest['autoRegister'] {
  return { key, resources: [], environments: [] }
}
