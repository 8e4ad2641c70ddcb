import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/security/password.ts'
import { openSqliteState } from '../../src/state/open-sqlite.ts'
import { ErrorBody } from '../../src/wire/error-body.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { securedDocument } from '../support/service/secured-document.ts'
import { QUICK_COST, openService, type CalledService } from '../support/service/service.ts'

interface Refused {
  readonly call: string
  readonly status: number
  /** A name that the message has to contain. */
  readonly told: RegExp
  readonly as?: string | null
  readonly token?: string
  readonly body?: string
}

const FACTS = {
  instance: 'i',
  hostname: 'h',
  ip_address: '10.0.0.1',
  sandbox: '/s',
  operating_system: 'Linux',
  free_space: 1,
  version: '1',
}
const CONTACT = { ...FACTS, runtime_status: 'Idle', job_id: null, stopping: false }
const REGISTER = { ...FACTS, uuid: 'new', claim: 'c'.repeat(40), auto_register: null }

function registering(more: object): Pick<Refused, 'call' | 'status' | 'as' | 'body'> {
  const body = JSON.stringify({ ...REGISTER, ...more })
  return { call: 'POST /api/agents-protocol/register', status: 400, as: null, body }
}

function protocol(call: string, more: Partial<Refused>): Refused {
  return { call, status: 401, told: /token/, as: null, token: 'forged-forged-forged', ...more }
}

/** Of `pending` and `enabled`, two agents that are there. */
const REFUSED: readonly Refused[] = [
  { call: 'POST /api/agents/nobody/enable', status: 404, told: /nobody/ },
  { call: 'POST /api/agents/nobody/disable', status: 404, told: /nobody/ },
  { call: 'POST /api/agents/nobody/delete', status: 404, told: /nobody/ },
  { call: 'POST /api/agents/pending/delete', status: 406, told: /is Pending, not Disabled/ },
  { call: 'POST /api/agents/enabled/delete', status: 406, told: /is Enabled, not Disabled/ },
  { call: 'POST /api/agents/pending/enable', status: 403, told: /viewer may not/, as: 'viewer:p' },
  { call: 'POST /api/agents/enabled/disable', status: 403, told: /viewer may not/, as: 'viewer:p' },
  { call: 'POST /api/agents/enabled/delete', status: 401, told: /viewer may not/, as: 'viewer:p' },
  { call: 'POST /api/agents/enabled/delete', status: 401, told: /redentials/, as: null },
  { call: 'GET /api/agents/nobody/job_run_history/0', status: 404, told: /nobody/ },
  { call: 'GET /api/agents/enabled/job_run_history/-1', status: 400, told: /offset/ },
  { call: 'GET /api/agents/enabled/job_run_history/x', status: 400, told: /offset/ },

  { ...registering({ uuid: '' }), told: /uuid/ },
  { ...registering({ uuid: '../etc' }), told: /uuid/ },
  { ...registering({ ip_address: '10.0.0' }), told: /ip_address|IP/i },
  { ...registering({ hostname: 'a\u0000b' }), told: /host name/ },
  { ...registering({ claim: 'short' }), told: /claim|small|short/i },
  { ...registering({ free_space: -1 }), told: /free_space|small/i },
  { ...registering({ instance: 7 }), told: /instance|string/i },
  { ...registering({}), body: '{"uuid"', told: /not JSON/ },
  { ...registering({}), body: `${'['.repeat(50)}${']'.repeat(50)}`, told: /nested|object/i },
  { ...registering({}), body: '', told: /not JSON/ },
  { ...registering({ uuid: 'enabled' }), status: 409, told: /enabled/ },

  protocol('POST /api/agents-protocol/enabled/contact', { body: JSON.stringify(CONTACT) }),
  protocol('POST /api/agents-protocol/pending/contact', { body: JSON.stringify(CONTACT) }),
  protocol('POST /api/agents-protocol/enabled/work', { body: '{"instance":"i"}' }),
  protocol('POST /api/agents-protocol/enabled/jobs/1/report', { body: '{"state":"Preparing"}' }),
  protocol('PUT /api/agents-protocol/enabled/jobs/1/console?offset=0', { body: 'x' }),
  protocol('PUT /api/agents-protocol/enabled/jobs/1/artifacts/a?kind=artifact', { body: 'x' }),
  protocol('GET /api/agents-protocol/enabled/artifacts?job=a/1/b/1/c&path=x', {}),
  protocol('GET /files/alpha/1/test/1/unit/x', {}),
  // The token comes first: nothing else of a call is looked at without it.
  protocol('POST /api/agents-protocol/enabled/contact', {
    body: JSON.stringify({ ...CONTACT, runtime_status: 'Asleep' }),
  }),
  protocol('POST /api/agents-protocol/enabled/work', { body: '{' }),
  protocol('POST /api/agents-protocol/enabled/jobs/1/report', { body: '{' }),
  protocol('PUT /api/agents-protocol/enabled/jobs/1/console?offset=x', { body: 'x' }),
]

async function serviceWithAgents(): Promise<CalledService> {
  const service = await openService()
  const file = join(service.folder, 'state', 'users.htpasswd')
  const viewer = `viewer:${await hashPassword('p', QUICK_COST)}\n`
  await new CallingAgent(service, 'pending').register()
  await new CallingAgent(service, 'enabled').register()
  await service.fetch('/api/agents/enabled/enable', { method: 'POST' })
  const document = await (await service.fetch('/api/admin/config.xml')).text()
  const agents = /<agents>.*<\/agents>/s.exec(document)?.[0] ?? ''
  const secured = securedDocument()
    .replace('<user>root</user>', '<user>admin</user>')
    .replace('</cruise>', `${agents}\n</cruise>`)
  await save(service, secured)
  writeFileSync(file, readFileSync(file, 'utf8') + viewer)
  await expect
    .poll(async () => (await service.fetch('/api/agents', { as: 'viewer:p' })).status)
    .toBe(200)
  return service
}

function send(service: CalledService, refused: Refused): Promise<Response> {
  const { call, as, token, body } = refused
  const [method = '', path = ''] = call.split(' ')
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const init = { method, headers, ...(body === undefined ? {} : { body }) }
  return service.fetch(path, as === undefined ? init : { ...init, as })
}

/** All that is kept: the commits, the live file and every document of the store. */
async function keptBy({ repository, folder }: CalledService): Promise<string> {
  await using store = await openSqliteState(join(folder, 'state', 'state.sqlite'))
  const lines: string[] = []
  for await (const line of store.dump()) {
    // The audit log notes what was refused.
    if (!/^\{"(?:share|entries)":/.test(line)) lines.push(line)
  }
  return [git(repository, 'log', '--format=%H'), git(repository, 'status', '-s'), ...lines].join(
    '\n',
  )
}

describe('a call about agents that cannot be answered', () => {
  it('is refused in words, and changes neither git nor the store', async () => {
    const service = await serviceWithAgents()
    const before = await keptBy(service)

    for (const refused of REFUSED) {
      const response = await send(service, refused)
      const { message, errors = [] } = ErrorBody.parse(await response.json())

      expect([refused, response.status]).toEqual([refused, refused.status])
      const told = [message, ...errors.map((error) => `${error.path} ${error.message}`)].join('\n')
      expect(told).toMatch(refused.told)
    }

    expect(await keptBy(service)).toBe(before)
  }, 30_000)
})
