import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hashPassword } from '../../../src/security/password.ts'
import { DELEGATED, PEOPLE, type Person } from './delegated-changes.ts'
import { until } from '../programs/until.ts'
import { save } from './saving.ts'
import { type CalledService, QUICK_COST } from './service.ts'

export function loginOf(person: Person): string {
  return `${person}:p`
}

/** Gives a service the people and the document of the delegated changes. */
export async function delegate<Service extends CalledService>(service: Service): Promise<Service> {
  const hash = await hashPassword('p', QUICK_COST)
  const users = Object.keys(PEOPLE).map((name) => `${name}:${hash}\n`)
  appendFileSync(join(service.folder, 'state', 'users.htpasswd'), users.join(''))
  const asRoot = { as: loginOf('root') }
  await until(async () => (await service.fetch('/api/agents', asRoot)).status === 200)
  expect(await (await save(service, DELEGATED)).text()).toContain('is saved')
  return service
}
