import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const USERS = 'users.htpasswd'

async function problemsOf(service: CalledService): Promise<readonly string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems.map(({ subject }) => subject)
}

function stateFile(service: CalledService, name: string): string {
  return join(service.folder, 'state', name)
}

function makeToken(service: CalledService, name: string): Promise<Response> {
  return service.fetch('/api/tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, scope: 'read' }),
  })
}

describe('a file of the state that is removed while the service runs', () => {
  it('is put back where it has the keys of secrets', async () => {
    const service = await openService()
    const file = stateFile(service, 'secret.keys')
    const before = readFileSync(file, 'utf8')

    rmSync(file)
    await until(() => service.logged.some(({ message }) => message.includes('put back')))

    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(await problemsOf(service)).toEqual([])
  })

  it('is put back by a stop that comes at once', async () => {
    const service = await openService()
    const file = stateFile(service, 'secret.keys')
    const before = readFileSync(file, 'utf8')

    rmSync(file)
    await service.close()

    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it.each(['garbage\n', `${Buffer.alloc(32).toString('base64')}\n`])(
    'is a problem where other keys have taken its place: %s',
    async (others) => {
      const service = await openService()
      const file = stateFile(service, 'secret.keys')

      writeFileSync(file, others)
      await until(async () => (await problemsOf(service)).length > 0)

      expect(await problemsOf(service)).toEqual([
        expect.stringMatching(/^secret\.keys (?:holds no|lacks) keys/),
      ])
      expect(readFileSync(file, 'utf8')).toBe(others)
    },
  )

  it('keeps the users from being taken for none', async () => {
    const service = await openService()
    const file = stateFile(service, USERS)
    const look = () => service.fetch('/api/agents')
    expect((await look()).status).toBe(200)

    renameSync(file, `${file}.away`)
    await until(async () => (await look()).status !== 200)
    const refused = await look()
    renameSync(`${file}.away`, file)
    await until(async () => (await look()).status === 200)

    expect(refused.status).toBe(503)
    expect(await refused.text()).toContain(
      'The users file users.htpasswd cannot be read: it is missing',
    )
  })

  it.each(['state.sqlite', 'state.sqlite-wal'])(
    'takes no change that would be gone with the process: %s',
    async (name) => {
      const service = await openService()
      const file = stateFile(service, name)
      expect((await makeToken(service, 'before')).status).toBe(200)

      renameSync(file, `${file}.away`)
      const refused = await makeToken(service, 'meanwhile')
      renameSync(`${file}.away`, file)
      const again = await makeToken(service, 'after')

      expect(refused.status).toBe(503)
      expect(await refused.text()).toContain(`${name} was removed or replaced`)
      expect(again.status).toBe(200)
    },
  )
})

function isAbandoned(file: string): boolean {
  return /draft-(?:0123|1-wal)/.test(file)
}

describe('the drafts that killed commands leave beside the state', () => {
  it('are removed by a start when nobody can be writing them any more', async () => {
    const folder = tempDir()
    const [old, young] = [Date.now() / 1000 - 7_200, Date.now() / 1000 - 600]
    const [state, entries, users] = ['state', 'state/audit/commands', 'users'].map((name) =>
      join(folder, name),
    )
    const made = [state, entries, users].flatMap((place = '') => {
      mkdirSync(place, { recursive: true })
      const names = ['.draft-0123456789abcdef', 'state.sqlite.draft-1-wal', '.draft-notes', 'notes']
      const files = names.map((name) => join(place, name))
      for (const file of files) writeFileSync(file, 'kept')
      for (const file of files) utimesSync(file, old, old)
      const current = join(place, '.draft-fedcba9876543210')
      writeFileSync(current, 'half')
      utimesSync(current, young, young)
      return [...files, current]
    })

    await openService(['--users-file', join(users ?? '', 'htpasswd')], folder)

    await until(() => made.filter(isAbandoned).every((file) => !existsSync(file)))
    expect(made.filter((file) => existsSync(file))).toEqual(
      made.filter((file) => !isAbandoned(file)),
    )
  })
})
