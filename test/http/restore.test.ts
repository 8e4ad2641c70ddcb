import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents.ts'
import { git } from '../support/git.ts'
import { save } from '../support/saving.ts'
import { startService, type TestService } from '../support/service.ts'

const OLD = documentWith('alpha', 'beta')
const NEW = documentWith('alpha')
const DIGEST = 'x-service-config-md5'

interface Restoring {
  readonly reason?: string
  readonly ifMatch?: string
}

function restore(service: TestService, commit: string, { reason, ifMatch }: Restoring = {}) {
  return service.fetch(`/api/config/revisions/${commit}/restore`, {
    method: 'POST',
    headers: {
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(reason === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(reason === undefined ? {} : { body: JSON.stringify({ reason }) }),
  })
}

function headOf(service: TestService): string {
  return git(service.repository, 'rev-parse', 'HEAD').trim()
}

/** A service whose second revision is OLD and whose third is NEW. */
async function serviceWithTwo() {
  const service = await startService()
  await save(service, OLD)
  const old = headOf(service)
  await save(service, NEW)
  return { service, old }
}

async function currentOf(service: TestService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

describe('restoring a revision', () => {
  it('makes the same bytes current again, as a new commit by the caller', async () => {
    const { service, old } = await serviceWithTwo()
    const before = headOf(service)

    const response = await restore(service, old, { reason: 'beta is needed' })

    expect(response.status).toBe(200)
    expect(await currentOf(service)).toBe(OLD)
    expect(git(service.repository, 'log', '-1', '--format=%an|%s|%P').trim()).toBe(
      `admin|Restore r2 by admin: beta is needed|${before}`,
    )
    expect(response.headers.get(DIGEST)).toMatch(/^[0-9a-f]{32}$/)
    expect(await response.json()).toMatchObject({ commitSHA: headOf(service) })
  })

  it('takes the reason from a form, and needs none', async () => {
    const { service, old } = await serviceWithTwo()
    await service.fetch(`/api/config/revisions/${old}/restore`, {
      method: 'POST',
      body: new URLSearchParams({ reason: ' two\nlines ' }),
    })
    const withReason = git(service.repository, 'log', '-1', '--format=%s').trim()
    await save(service, NEW)
    await restore(service, old)
    const without = git(service.repository, 'log', '-1', '--format=%s').trim()

    expect(withReason).toBe('Restore r2 by admin: two lines')
    expect(without).toBe('Restore r2 by admin')
  })

  it('makes no commit when the revision is what is current', async () => {
    const { service } = await serviceWithTwo()
    const head = headOf(service)

    const response = await restore(service, head)

    expect(response.status).toBe(200)
    expect(headOf(service)).toBe(head)
  })

  it('is refused when somebody has saved since the caller looked', async () => {
    const { service, old } = await serviceWithTwo()
    const head = headOf(service)

    const stale = await restore(service, old, { ifMatch: `"${'0'.repeat(32)}"` })
    const afterwards = headOf(service)
    const fresh = await restore(service, old, {
      ifMatch: (await service.fetch('/api/admin/config.xml')).headers.get('etag') ?? '',
    })

    expect([stale.status, afterwards]).toEqual([412, head])
    expect(fresh.status).toBe(200)
  })

  it('answers 404 for a commit that is no revision, and 400 for what is no commit', async () => {
    const { service } = await serviceWithTwo()

    expect((await restore(service, 'a'.repeat(40))).status).toBe(404)
    expect((await restore(service, 'r2')).status).toBe(400)
  })

  it('is refused when a reason is too long for a commit', async () => {
    const { service, old } = await serviceWithTwo()

    const response = await restore(service, old, { reason: 'x'.repeat(501) })

    expect(response.status).toBe(400)
  })
})
