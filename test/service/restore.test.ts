import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ErrorBody } from '../../src/wire/error-body.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const OLD = documentWith('alpha', 'beta')
const NEW = documentWith('alpha')
const DIGEST = 'x-service-config-md5'

interface Restoring {
  readonly reason?: string
  readonly ifMatch?: string
}

function restore(service: CalledService, commit: string, { reason, ifMatch }: Restoring = {}) {
  return service.fetch(`/api/config/revisions/${commit}/restore`, {
    method: 'POST',
    headers: {
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(reason === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(reason === undefined ? {} : { body: JSON.stringify({ reason }) }),
  })
}

function headOf(service: CalledService): string {
  return git(service.repository, 'rev-parse', 'HEAD').trim()
}

/** A service whose second revision is OLD and whose third is NEW. */
async function serviceWithTwo() {
  const service = await openService()
  await save(service, OLD)
  const old = headOf(service)
  await save(service, NEW)
  return { service, old }
}

/** A repository of the original with a revision that its rules of then let through, and ours do not. */
function repositoryWithInvalidPast(): { folder: string; invalid: string } {
  const folder = tempDir()
  const repository = join(folder, 'config-repo')
  mkdirSync(repository)
  git(repository, 'init', '--quiet', '--initial-branch=main')
  const commits = [documentWith('alpha', 'ALPHA'), OLD].map((document) => {
    const md5 = createHash('md5').update(document).digest('hex')
    const facts = 'user:ana|timestamp:1450718883389|schema_version:75'
    writeFileSync(join(repository, 'config.xml'), document)
    git(repository, 'add', '.')
    const message = `${facts}|go_edition:OpenSource|go_version:14.3.0|md5:${md5}`
    git(repository, 'commit', '--quiet', '--message', message)
    return git(repository, 'rev-parse', 'HEAD').trim()
  })
  return { folder, invalid: commits[0] ?? '' }
}

async function currentOf(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

describe('restoring a revision', () => {
  it('makes the same bytes current again, as a new commit by the caller', async () => {
    const { service, old } = await serviceWithTwo()
    const before = headOf(service)

    const response = await restore(service, old, { reason: 'beta is needed' })

    expect(response.status).toBe(200)
    expect(await currentOf(service)).toBe(OLD)
    expect(git(service.repository, 'log', '-1', '--format=%an|%s|%P|%b')).toContain(
      `admin|Restore r2 by admin|${before}|beta is needed\n\nConfig-MD5: `,
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
    const withReason = git(service.repository, 'log', '-1', '--format=%s%n%b').trim()
    await save(service, NEW)
    await restore(service, old)
    const without = git(service.repository, 'log', '-1', '--format=%s%n%b').trim()

    expect(withReason).toMatch(/^Restore r2 by admin\ntwo\nlines\n\nConfig-MD5: /)
    expect(without).toMatch(/^Restore r2 by admin\nConfig-MD5: /)
  })

  it('makes no commit when the revision is what is current', async () => {
    const { service } = await serviceWithTwo()
    const head = headOf(service)

    const response = await restore(service, head)

    expect(response.status).toBe(200)
    expect(headOf(service)).toBe(head)
  })

  it('is refused with its problems when it is not valid today, and stays readable', async () => {
    const { folder, invalid } = repositoryWithInvalidPast()
    const service = await openService([], folder)
    const head = headOf(service)

    const response = await restore(service, invalid)

    const { message, errors = [] } = ErrorBody.parse(await response.json())
    expect(response.status).toBe(409)
    expect(message).toMatch(/alpha/i)
    expect(errors[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) })
    expect([headOf(service), await currentOf(service)]).toEqual([head, OLD])
    const digest = createHash('md5').update(documentWith('alpha', 'ALPHA')).digest('hex')
    expect((await service.fetch(`/api/admin/config/${digest}.xml`)).status).toBe(200)
    const audit = await service.fetch('/api/audit?action=restore-revision')
    expect(AuditBody.parse(await audit.json()).entries).toMatchObject([
      { outcome: 'refused', status: 409, reason: 'config-invalid' },
    ])
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

  it('answers 404 for a commit that is no revision, 400 for what names none, and takes a number', async () => {
    const { service } = await serviceWithTwo()

    expect((await restore(service, 'a'.repeat(40))).status).toBe(404)
    expect((await restore(service, 'no-name')).status).toBe(400)
    expect((await restore(service, 'r2')).status).toBe(200)
  })

  it('is refused when a reason is too long for a commit', async () => {
    const { service, old } = await serviceWithTwo()

    const response = await restore(service, old, { reason: 'x'.repeat(4001) })

    expect(response.status).toBe(400)
  })
})
