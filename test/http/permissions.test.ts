import { describe, expect, it } from 'vitest'
import { DescribedApi } from '../support/service/described-api.ts'
import type { PermissionRow } from '../support/service/permissions/permission-row.ts'
import { PERMISSIONS } from '../support/service/permissions/permission-table.ts'
import { save } from '../support/service/saving.ts'
import { LEVELS, type Role, ROLES, securedDocument } from '../support/service/secured-document.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { startService, type TestService } from '../support/service/service.ts'

async function securedService(): Promise<TestService> {
  const service = await startService()
  await secure(service)
  return service
}

async function statusOf(service: TestService, row: PermissionRow, role: Role): Promise<number> {
  const { call, target, headers, body } = row
  const [method = ''] = call.split(' ')
  const answer = await service.fetch(target, { method, as: loginOf(role), headers, body })
  // A service waits at its end for answers that are still on their way.
  await answer.body?.cancel()
  return answer.status
}

function expectedOf({ may, allowed, refused }: PermissionRow, role: Role): number {
  const roles: readonly Role[] = LEVELS[may]
  if (roles.includes(role)) return allowed
  return role === 'nobody' ? 401 : refused
}

describe('the table of permissions', () => {
  it('has every route of the service, and no other', async () => {
    const service = await startService()

    const { operations } = await DescribedApi.read(service)

    const routes = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    const rows = new Set(PERMISSIONS.map(({ call }) => call))
    expect([...rows].toSorted()).toEqual(routes.toSorted())
  })

  it('holds for every role and every call', { timeout: 120_000 }, async () => {
    const service = await securedService()
    const found: string[] = []
    const wanted: string[] = []

    for (const row of PERMISSIONS) {
      for (const role of ROLES) {
        const name = `${row.call} (${row.target}) by ${role}`
        found.push(`${name}: ${await statusOf(service, row, role)}`)
        wanted.push(`${name}: ${expectedOf(row, role)}`)
      }
    }

    expect(found).toEqual(wanted)
  })
})

describe('permissions from the configuration', () => {
  it('take effect with the commit', async () => {
    const service = await securedService()
    const owned = securedDocument().replace(
      '<user>root</user>',
      '<user>root</user><user>owner</user>',
    )
    const before = await service.fetch('/api/config/revisions', { as: loginOf('owner') })

    await save(service, owned, loginOf('root') ?? '')

    const after = await service.fetch('/api/config/revisions', { as: loginOf('owner') })
    expect([before.status, after.status]).toEqual([403, 200])
  })

  it('leave the first user in charge while no administrator of the configuration can log in', async () => {
    const service = await startService()

    await save(service, securedDocument())

    expect((await service.fetch('/api/config/revisions')).status).toBe(200)
  })

  it('apply to the first user as soon as one can', async () => {
    const service = await securedService()

    expect((await service.fetch('/api/config/revisions')).status).toBe(403)
  })
})
