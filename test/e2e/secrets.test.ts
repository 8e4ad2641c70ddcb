import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git, gitBytes } from '../support/git/git.ts'
import { postForm, save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { run, start } from '../support/programs/start.ts'
import { until } from '../support/programs/until.ts'

/** A secret that no output may contain. */
const PLAIN = 'hunter2-in-plain'

/** A document with a plain password of a material and two plain values of secure variables. */
function documentWithSecrets(name = 'a', plain = PLAIN): string {
  return documentWith(name)
    .replace(
      `<git url="https://example.org/${name}.git" />`,
      `<svn url="https://example.org/${name}" username="ana" password="${plain}" />`,
    )
    .replace(
      '        <jobs>',
      `        <environmentvariables>
          <variable name="TOKEN" secure="true">
            <value>${plain}-token</value>
          </variable>
        </environmentvariables>
        <jobs>`,
    )
}

/** Every object of a repository, of every type, one after the other. */
function allObjects(repository: string): string {
  return gitBytes(repository, ['cat-file', '--batch', '--batch-all-objects']).toString('latin1')
}

/** The bodies and headers of answers. */
async function answersOf(service: TestService, paths: readonly string[]): Promise<string[]> {
  return Promise.all(
    paths.map(async (path) => {
      const response = await service.fetch(path)
      const text = await response.text()
      return `${path} ${response.status}\n${JSON.stringify([...response.headers])}\n${text}`
    }),
  )
}

async function commitsOf(service: TestService): Promise<string[]> {
  const list: unknown = await (await service.fetch('/api/config/revisions')).json()
  return z
    .array(RevisionEntry)
    .parse(list)
    .map(({ commitSHA }) => commitSHA)
}

/** A service to which the secrets came by a request, the original's form, and the live file. */
async function serviceWithSecrets(): Promise<TestService> {
  const service = await startService(['--poll-interval', '100ms'])
  await save(service, documentWithSecrets())
  const read = await service.fetch('/api/admin/config.xml')
  const md5 = read.headers.get('x-service-config-md5') ?? ''
  await postForm(service, { xmlFile: documentWithSecrets('b'), md5 })
  await create(service)
  writeFileSync(join(service.repository, 'config.xml'), documentWithSecrets('c', `${PLAIN}-again`))
  await expect.poll(async () => (await commitsOf(service)).length).toBe(5)
  return service
}

function create(service: TestService): Promise<Response> {
  const body = new URLSearchParams({ url: 'http://scm', username: 'ana', password: PLAIN })
  return service.fetch('/tab/admin/pipelines/new.json', { method: 'POST', body })
}

describe('plain secrets', () => {
  it('are in no object of git, whichever way they came, and in no log', async () => {
    const service = await serviceWithSecrets()

    const objects = allObjects(service.repository)

    expect(objects).toContain('encryptedPassword="AES:')
    expect(objects).toContain('<encryptedValue>AES:')
    expect(objects).not.toContain(PLAIN)
    expect(JSON.stringify(service.logged)).not.toContain(PLAIN)
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
  })

  it('are in no snapshot, list, diff, summary, page or feed', async () => {
    const service = await serviceWithSecrets()
    const [newest = '', before = ''] = await commitsOf(service)

    const answers = await answersOf(service, [
      '/api/admin/config.xml',
      '/api/config/revisions',
      `/api/config/diff/${before}/${newest}`,
      `/api/config/changes/${before}/${newest}`,
      '/api/config/revisions?entity=pipeline/c',
      '/api/pipelines',
      '/health',
      '/config',
      '/config/feed.atom',
      '/config/feed.json',
      '/config/r2',
      '/config/r5',
      '/config/r2/restore',
      '/config/edit',
      '/config/compare/r2/r3',
      '/config/compare/r4/r5',
      '/config/compare/r4/r5.patch',
      '/config/entity/pipeline/c',
    ])

    expect(answers.filter((answer) => !/^\S+ 200\n/.test(answer))).toEqual([])
    expect(answers.filter((answer) => answer.includes(PLAIN))).toEqual([])
    expect(answers.join('\n')).toContain('AES:')
  })

  it('are not repeated by what refuses them', async () => {
    const service = await startService()
    const invalid = documentWithSecrets().replace('name="unit"', 'name="un it"')
    const broken = documentWithSecrets().replace('</cruise>', '')

    const refusals = [await save(service, invalid), await save(service, broken)]
    const body = new URLSearchParams({ scm: 'hg', password: PLAIN, builder: 'none' })
    const creation = await service.fetch('/tab/admin/pipelines/x.json', { method: 'POST', body })

    expect([...refusals, creation].map(({ status }) => status)).toEqual([422, 422, 400])
    for (const response of [...refusals, creation]) {
      expect(await response.text()).not.toContain(PLAIN)
    }
    expect(allObjects(service.repository)).not.toContain(PLAIN)
    expect(JSON.stringify(service.logged)).not.toContain(PLAIN)
  })

  it('are not shown by the report about a live file that is not valid', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    const invalid = documentWithSecrets().replace('name="unit"', 'name="un it"')

    writeFileSync(join(service.repository, 'config.xml'), invalid)
    const health = async () => (await service.fetch('/health')).text()
    await expect.poll(health).toContain('un it')

    expect(await health()).not.toContain(PLAIN)
    expect(JSON.stringify(service.logged)).not.toContain(PLAIN)
    expect(allObjects(service.repository)).not.toContain(PLAIN)
  })
})

describe('cairn secrets rotate', () => {
  it('seals every secret by a new key, in one commit, and the service goes on with it', async () => {
    const service = await startService()
    await save(service, documentWithSecrets())
    const before = await (await service.fetch('/api/admin/config.xml')).text()
    const digest = (await service.fetch('/api/admin/config.xml')).headers.get('etag') ?? ''
    await service.close()
    const state = join(service.folder, 'state')

    const flags = ['--config-repo', service.repository, '--state-dir', state]
    const { code, stdout } = await run(['secrets', 'rotate', ...flags])

    const after = git(service.repository, 'show', 'HEAD:config.xml')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^2 secrets/) })
    expect(after.match(/AES:/g)).toHaveLength(2)
    expect(sealedIn(after).filter((secret) => before.includes(secret))).toEqual([])
    const again = await startService([], service.folder)
    expect(await (await again.fetch('/api/admin/config.xml')).text()).toBe(after)
    const old = await again.fetch(`/api/admin/config/${digest.replaceAll('"', '')}.xml`)
    expect(await old.text()).toBe(before)
    expect((await save(again, documentWithSecrets('z'))).status).toBe(200)
  })

  it('adds no key where the configuration is named wrongly, which the start says as well', async () => {
    const service = await startService()
    await service.close()
    const state = join(service.folder, 'state')
    const keys = readFileSync(join(state, 'secret.keys'), 'utf8')
    const flags = ['--config-repo', service.repository, '--state-dir', state]
    const wrong = [...flags, '--config-file', 'config.xm']

    const rotated = await run(['secrets', 'rotate', ...wrong])
    const served = await run(['serve', '--port', '0', ...wrong])

    const said = `cairn: ${service.repository} has no config.xm: the name of the file may be wrong\n`
    expect(rotated).toMatchObject({ code: 1, stdout: '', stderr: said })
    expect(readFileSync(join(state, 'secret.keys'), 'utf8')).toBe(keys)
    expect(served).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'missing: the commit has no config.xm (the name of the file may be wrong)',
      ),
    })
  })
})

describe('a rotation of keys that is killed', () => {
  it(
    'loses no secret, and the next one ends what it began',
    { timeout: 120_000, tags: ['long'] },
    async () => {
      const service = await startService()
      await save(service, documentWithSecrets())
      await service.close()
      const state = join(service.folder, 'state')
      const flags = ['--config-repo', service.repository, '--state-dir', state]
      const keys = () => readFileSync(join(state, 'secret.keys'), 'utf8').match(/^[^#\n]+$/gm) ?? []
      let killed = 0
      for (let round = 0; round < 5; round += 1) {
        const known = keys().length
        const rotation = start(['secrets', 'rotate', ...flags])
        // From here on the new key is there; the commit follows after this many milliseconds.
        await until(() => keys().length > known)
        await wait(round * 25)
        rotation.process.kill('SIGKILL')
        if ((await rotation.ended()).code === null) killed += 1
      }

      const { code, stdout } = await run(['secrets', 'rotate', ...flags])
      const again = await startService([], service.folder)

      expect(killed).toBeGreaterThan(0)
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('2 secrets') })
      expect(stdout).toContain('0 are not ours')
      expect((await save(again, documentWithSecrets('z'))).status).toBe(200)
      expect(git(service.repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    },
  )
})

function sealedIn(document: string): string[] {
  return [...document.matchAll(/AES:[^"<]+/g)].map(([secret]) => secret)
}
