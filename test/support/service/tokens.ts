import { expect } from 'vitest'
import type { CalledService } from './service.ts'
import { MadeTokenBody } from '../../../src/wire/identity-bodies.ts'

/** Creates a token of a user, by default of admin. */
export async function makeToken(
  service: Pick<CalledService, 'fetch'>,
  scope: string,
  { as, ...rest }: { readonly as?: string; readonly expires?: string } = {},
): Promise<MadeTokenBody> {
  const answer = await service.fetch('/api/tokens', {
    method: 'POST',
    ...(as === undefined ? {} : { as }),
    body: JSON.stringify({ name: `for ${scope}`, scope, ...rest }),
  })
  expect(answer.status).toBe(200)
  return MadeTokenBody.parse(await answer.json())
}

/** The header of a program that has a token. */
export function bearer(token: string): RequestInit & { as: null } {
  return { as: null, headers: { authorization: `Bearer ${token}` } }
}
