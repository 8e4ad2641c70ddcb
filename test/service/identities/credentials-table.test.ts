import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TokenScope } from '../../../src/core/principal.ts'
import { newApiToken } from '../../../src/security/issued-secret.ts'
import { removeUser } from '../../../src/security/users.ts'
import { UsersFile } from '../../../src/security/users-file.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import type { PermissionRow } from '../../support/service/permissions/permission-row.ts'
import { PERMISSIONS } from '../../support/service/permissions/permission-table.ts'
import { LEVELS, type Role } from '../../support/service/secured-document.ts'
import { loginOf, secure } from '../../support/service/secured-service.ts'
import { type CalledService, openService } from '../../support/service/service.ts'
import { makeToken } from '../../support/service/tokens.ts'

const HOUR_MS = 3_600_000
const SCOPES: readonly TokenScope[] = ['read', 'propose', 'operate', 'admin']

/** The calls of a scope that is not what the method says, by what they are about. */
const READS = [
  'POST /api/config/plan',
  'POST /api/admin/rules/replay',
  'POST /mcp',
  'POST /git/config.git/git-upload-pack',
  'POST /colours',
  'POST /login',
  'POST /log-out',
]
/** A push may go to `refs/for/main`, which is a proposal. */
const PROPOSALS = [
  'POST /api/proposals',
  'POST /api/proposals/{number}/update',
  'POST /git/config.git/git-receive-pack',
]
const OPERATIONS =
  /^(POST|PATCH) \/(api\/(agents|pipelines|proposals|stages)|agents|pipelines|proposals|stages)(?!-)(\/|$)/
/** Merging a proposal is a save. */
const SAVES = ['POST /api/proposals/{number}/merge']
/** Calls that no token can make. */
const LOGIN_ONLY = [
  'POST /api/tokens',
  'POST /tokens',
  'POST /api/users',
  'POST /users',
  'PUT /api/users/{name}/password',
  'POST /api/users/{name}/enable',
  'POST /account',
  'POST /account/mail',
  'PUT /api/account/mail',
  'DELETE /api/account/mail',
  'POST /api/proposals/{number}/approve',
  'POST /api/proposals/{number}/reject',
  'POST /api/proposals/{number}/comment',
]

/** The status of the page on which a caller with a session confirms its end. */
const ASKED = 200

/** A credential in a request, and what it is good for; null for one that is good for nothing. */
interface Shown {
  readonly name: string
  readonly headers: (call: string) => Promise<Record<string, string>>
  readonly role: Role
  readonly scope: TokenScope | 'session' | null
}

function neededBy(call: string): TokenScope {
  if (call.startsWith('GET ') || READS.includes(call)) return 'read'
  if (PROPOSALS.includes(call)) return 'propose'
  return OPERATIONS.test(call) && !SAVES.includes(call) ? 'operate' : 'admin'
}

function expectedOf({ call, may, allowed, refused }: PermissionRow, { role, scope }: Shown) {
  if (scope === 'session' && call === 'GET /log-out') return ASKED
  if (may === 'anybody') return allowed
  if (scope === null) return 401
  const isToken = scope !== 'session'
  if (isToken && SCOPES.indexOf(scope) < SCOPES.indexOf(neededBy(call))) return refused
  if (isToken && LOGIN_ONLY.includes(call)) return 403
  const roles: readonly Role[] = LEVELS[may]
  return roles.includes(role) ? allowed : refused
}

async function statusOf(service: CalledService, row: PermissionRow, shown: Shown) {
  const [method = ''] = row.call.split(' ')
  const headers = { ...row.headers, ...(await shown.headers(row.call)) }
  const answer = await service.fetch(row.target, { method, as: null, headers, body: row.body })
  await answer.body?.cancel()
  return answer.status
}

async function tokenOf(service: CalledService, role: Role, scope: TokenScope): Promise<Shown> {
  const { token } = await makeToken(service, scope, { as: loginOf(role) ?? '' })
  return withBearer(`a token of ${role} for ${scope}`, token, { role, scope })
}

function withBearer(name: string, token: string, good: Pick<Shown, 'role' | 'scope'>): Shown {
  return { name, headers: async () => ({ authorization: `Bearer ${token}` }), ...good }
}

/** Logged in anew before the log-out, which ends a session. */
function sessionOf(service: CalledService, role: Role): Shown {
  const [username = '', password = ''] = (loginOf(role) ?? '').split(':')
  const body = new URLSearchParams({ username, password }).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const logIn = async () => {
    const begun = await service.fetch('/login', { method: 'POST', as: null, headers: type, body })
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
    return { cookie, 'sec-fetch-site': 'same-origin' }
  }
  let session: ReturnType<typeof logIn> | null = null
  const headers = (call: string) => (call === 'POST /log-out' ? logIn() : (session ??= logIn()))
  return { name: `a session of ${role}`, headers, role, scope: 'session' }
}

/** Tokens that were good once, and those that never were. */
async function deadTokens(service: CalledService, time: { now: number }): Promise<Shown[]> {
  const dead = { role: 'root', scope: null } as const
  const expires = new Date(time.now + HOUR_MS).toISOString()
  const options = { as: loginOf('root') ?? '' }
  const expired = await makeToken(service, 'admin', { ...options, expires })
  const revoked = await makeToken(service, 'admin', options)
  await service.fetch(`/api/tokens/${revoked.id}`, { method: 'DELETE', ...options })
  const removed = await makeToken(service, 'admin', { as: loginOf('stranger') ?? '' })
  await removeUser(new UsersFile(join(service.folder, 'state', 'users.htpasswd')), 'stranger')
  await expect
    .poll(
      async () => (await service.fetch('/api/agents', { as: `stranger:${removed.token}` })).status,
      { timeout: 30_000 },
    )
    .toBe(401)
  time.now += 2 * HOUR_MS
  return [
    withBearer('a token that expired', expired.token, dead),
    withBearer('a token that was revoked', revoked.token, dead),
    withBearer('a token of a user who was removed', removed.token, dead),
    withBearer('a token that nobody made', newApiToken(), dead),
    withBearer('the token of an agent', randomUUID(), dead),
  ]
}

describe('every call', () => {
  it(
    'is answered by role and by credential, and to a token never more than to its owner',
    { timeout: 240_000, tags: ['long'] },
    async () => {
      const time = { now: Date.parse('2030-01-01T10:00:00Z') }
      const service = await openService([], tempDir(), { clock: () => time.now })
      await secure(service)
      const good = await Promise.all([
        ...SCOPES.map((scope) => tokenOf(service, 'root', scope)),
        tokenOf(service, 'operator', 'operate'),
        tokenOf(service, 'viewer', 'admin'),
      ])
      const dead = await deadTokens(service, time)
      const credentials = [...good, sessionOf(service, 'root'), sessionOf(service, 'viewer')]
      const found: string[] = []
      const wanted: string[] = []

      for (const row of PERMISSIONS) {
        for (const shown of [...credentials, ...dead]) {
          // Who sends wrong tokens is slowed down, which time undoes.
          time.now += 20_000
          const name = `${row.call} (${row.target}) with ${shown.name}`
          found.push(`${name}: ${await statusOf(service, row, shown)}`)
          wanted.push(`${name}: ${expectedOf(row, shown)}`)
        }
      }

      expect(found).toEqual(wanted)
    },
  )
})
