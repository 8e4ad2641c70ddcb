import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashPassword } from '../../../src/security/password.ts'
import { until } from '../programs/until.ts'
import { save } from './saving.ts'
import { LEVELS, type Role, securedDocument } from './secured-document.ts'
import { type CalledService, QUICK_COST } from './service.ts'

const PASSWORD = 'p'

/** The name and password of a user of a role; null for nobody. */
export function loginOf(role: Role): string | null {
  return role === 'nobody' ? null : `${role}:${PASSWORD}`
}

/** Gives a service a user of each role, and the configuration that knows them. */
export async function secure(service: CalledService): Promise<void> {
  const file = join(service.folder, 'state', 'users.htpasswd')
  const hash = await hashPassword(PASSWORD, QUICK_COST)
  const users = LEVELS.user.map((role) => `${role}:${hash}\n`)
  writeFileSync(file, readFileSync(file, 'utf8') + users.join(''))
  await until(
    async () => (await service.fetch('/api/agents', { as: loginOf('root') })).status === 200,
  )
  await save(service, securedDocument())
}
