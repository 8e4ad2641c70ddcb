import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/security/password.ts'
import { documentWith } from '../support/documents.ts'
import { save } from '../support/saving.ts'
import { startService, type TestService } from '../support/service.ts'

const PASSWORD = 'p'
const ROLES = ['root', 'owner', 'operator', 'viewer', 'approver', 'stranger'] as const
type Role = (typeof ROLES)[number]

const SECURITY = `  <server artifactsdir="artifacts">
    <security>
      <passwordFile path="/users" />
      <admins><user>root</user></admins>
    </security>
  </server>
`
const AUTHORIZATION = `    <authorization>
      <view><user>viewer</user></view>
      <operate><user>operator</user><user>approver</user></operate>
      <admins><user>owner</user></admins>
    </authorization>
`
const APPROVAL = `        <approval type="manual">
          <authorization><user>approver</user></authorization>
        </approval>
`

function securedDocument(): string {
  return documentWith('alpha')
    .replace('<cruise schemaVersion="75">\n', (root) => root + SECURITY)
    .replace('<pipelines group="first">\n', (group) => group + AUTHORIZATION)
    .replace('<stage name="test">\n', (stage) => stage + APPROVAL)
}

async function securedService(): Promise<TestService> {
  const service = await startService()
  const file = join(service.folder, 'state', 'users.htpasswd')
  const hash = await hashPassword(PASSWORD)
  writeFileSync(
    file,
    readFileSync(file, 'utf8') + ROLES.map((role) => `${role}:${hash}\n`).join(''),
  )
  await expect
    .poll(async () => (await service.fetch('/api/agents', { as: `root:${PASSWORD}` })).status)
    .toBe(200)
  await save(service, securedDocument())
  return service
}

interface Call {
  readonly name: string
  readonly path: string
  readonly init: RequestInit
  /** The status when the caller may, and when not. */
  readonly allowed: number
  readonly refused: number
  readonly may: readonly Role[]
}

const everyone = ROLES
const POST = { method: 'POST' }
const PIPELINE = 'url=https%3A%2F%2Fexample.org%2Fx'

const CALLS: readonly Call[] = [
  {
    name: 'read the current configuration',
    path: '/api/admin/config.xml',
    init: {},
    allowed: 200,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'read an old configuration',
    path: `/api/admin/config/${'0'.repeat(32)}.xml`,
    init: {},
    allowed: 404,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'list revisions',
    path: '/api/config/revisions',
    init: {},
    allowed: 200,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'read a diff',
    path: `/api/config/diff/${'0'.repeat(40)}/${'0'.repeat(40)}`,
    init: {},
    allowed: 404,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'read changes',
    path: `/api/config/changes/${'0'.repeat(40)}/${'0'.repeat(40)}`,
    init: {},
    allowed: 404,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'list the revisions of an entity',
    path: '/api/config/revisions?entity=pipeline/alpha',
    init: {},
    allowed: 200,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'save',
    path: '/api/admin/config.xml',
    init: { method: 'PUT', headers: { 'if-match': '*' }, body: securedDocument() },
    allowed: 200,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'restore a revision',
    path: `/api/config/revisions/${'0'.repeat(40)}/restore`,
    init: POST,
    allowed: 404,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'create a pipeline in a group',
    path: '/tab/admin/pipelines/alpha.json',
    init: { ...POST, body: `${PIPELINE}&pipelineGroup=first` },
    allowed: 409,
    refused: 403,
    may: ['root', 'owner'],
  },
  {
    name: 'create a pipeline in a new group',
    path: '/tab/admin/pipelines/alpha.json',
    init: { ...POST, body: `${PIPELINE}&pipelineGroup=fresh` },
    allowed: 409,
    refused: 403,
    may: ['root'],
  },
  { name: 'list agents', path: '/api/agents', init: {}, allowed: 200, refused: 403, may: everyone },
  {
    name: 'enable an agent',
    path: '/api/agents/none/enable',
    init: POST,
    allowed: 404,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'disable an agent',
    path: '/api/agents/none/disable',
    init: POST,
    allowed: 404,
    refused: 403,
    may: ['root'],
  },
  {
    name: 'delete an agent',
    path: '/api/agents/none/delete',
    init: POST,
    allowed: 404,
    refused: 401,
    may: ['root'],
  },
  {
    name: 'cancel a stage',
    path: '/api/stages/alpha/test/cancel',
    init: POST,
    allowed: 200,
    refused: 401,
    may: ['root', 'owner', 'approver'],
  },
  {
    name: 'read the history of a stage',
    path: '/api/stages/alpha/test/history/0',
    init: {},
    allowed: 200,
    refused: 403,
    may: ['root', 'owner', 'viewer'],
  },
]

describe('permissions from the configuration', () => {
  it('hold for every role and every call', { timeout: 60_000 }, async () => {
    const service = await securedService()
    const found: Record<string, Record<string, number>> = {}
    const wanted: Record<string, Record<string, number>> = {}

    for (const { name, path, init, may, allowed, refused } of CALLS) {
      for (const role of ROLES) {
        const { status } = await service.fetch(path, { ...init, as: `${role}:${PASSWORD}` })
        ;(found[name] ??= {})[role] = status
        ;(wanted[name] ??= {})[role] = may.includes(role) ? allowed : refused
      }
    }

    expect(found).toEqual(wanted)
  })

  it('take effect with the commit', async () => {
    const service = await securedService()
    const owned = securedDocument().replace(
      '<user>root</user>',
      '<user>root</user><user>owner</user>',
    )
    const before = await service.fetch('/api/config/revisions', { as: `owner:${PASSWORD}` })

    await save(service, owned, `root:${PASSWORD}`)

    const after = await service.fetch('/api/config/revisions', { as: `owner:${PASSWORD}` })
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
