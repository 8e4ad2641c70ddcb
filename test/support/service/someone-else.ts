import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hashPassword } from '../../../src/security/password.ts'
import { type CalledService, QUICK_COST } from './service.ts'

/** The name and password of a second user, who is no administrator. */
export const SOMEONE = 'someone:a password'

/** The elements that make `admin` the one administrator. */
export const ADMIN_ALONE =
  '<server><security><passwordFile path="/u" /><admins><user>admin</user></admins></security></server>'

/** Adds the second user to the users file and waits until the service knows. */
export async function addSomeone(service: CalledService): Promise<void> {
  const hash = await hashPassword('a password', QUICK_COST)
  appendFileSync(join(service.folder, 'state', 'users.htpasswd'), `someone:${hash}\n`)
  await expect
    .poll(async () => (await service.fetch('/api/agents', { as: SOMEONE })).status)
    .toBe(200)
}
