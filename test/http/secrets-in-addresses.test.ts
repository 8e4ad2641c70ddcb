import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { currentOf, submit } from '../support/pages/editor-forms.ts'
import { git, gitBytes } from '../support/git/git.ts'
import { Clone } from '../support/git/git-client.ts'
import { postForm, save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { until } from '../support/programs/until.ts'

/** A secret that no output and no file may contain. */
const PLAIN = 'hunter2-in-plain'
const TOKEN = 'ghp_hunter2InPlain0123'
/** A token of a forge without a prefix, in the alphabet that addresses take as it is. */
const DASHED = 'hX7-nter2_InPla-n012'

/** A material of each kind whose address has a user and a password, or a token. */
function documentWithAddresses(name: string, host = 'https://ana:%@h'): string {
  const at = host.replace('%', PLAIN)
  const pipelines = ['git', 'token', 'svn', 'hg', 'tfs', 'dashed'].map((kind) => `${name}-${kind}`)
  return documentWith(...pipelines)
    .replace(`<git url="https://example.org/${name}-git.git" />`, `<git url="${at}/${name}.git" />`)
    .replace(
      `<git url="https://example.org/${name}-token.git" />`,
      `<git url="https://${TOKEN}@h/${name}.git" branch="b" />`,
    )
    .replace(
      `<git url="https://example.org/${name}-dashed.git" />`,
      `<git url="https://${DASHED}@h/${name}.git" branch="c" />`,
    )
    .replace(`<git url="https://example.org/${name}-svn.git" />`, `<svn url="${at}/${name}" />`)
    .replace(`<git url="https://example.org/${name}-hg.git" />`, `<hg url="${at}/${name}" />`)
    .replace(
      `<git url="https://example.org/${name}-tfs.git" />`,
      `<tfs url="${at}/${name}" username="bob" projectPath="$/p" />`,
    )
}

function quick(): Promise<TestService> {
  return startService(['--poll-interval', '100ms'])
}

/** The stored data of a service: each object of git, each file of its folder. */
function keptBy({ folder, repository }: TestService): string {
  const objects = gitBytes(repository, ['cat-file', '--batch', '--batch-all-objects'])
  return [objects.toString('latin1'), ...filesBelow(folder)].join('\n')
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, 'latin1'))
}

function plainIn(text: string): string[] {
  return [PLAIN, TOKEN, DASHED].filter((secret) => text.includes(secret))
}

async function textOf(service: TestService, path: string): Promise<string> {
  return (await service.fetch(path)).text()
}

describe('a secret in the address of a material', () => {
  it('is sealed in its place, or beside the address where the material has attributes for it', async () => {
    const service = await quick()
    await save(service, documentWithAddresses('a'))

    const document = await currentOf(service)

    expect(document).toMatch(/<git url="https:\/\/ana:AES:[\w-]{16}:[\w-]+@h\/a\.git" \/>/)
    expect(document).toMatch(/<git url="https:\/\/AES:[\w-]{16}:[\w-]+@h\/a\.git" branch="b" \/>/)
    expect(document).toMatch(/<git url="https:\/\/AES:[\w-]{16}:[\w-]+@h\/a\.git" branch="c" \/>/)
    expect(document).toMatch(/<hg url="https:\/\/ana:AES:[\w-]{16}:[\w-]+@h\/a" \/>/)
    expect(document).toMatch(
      /<svn url="https:\/\/h\/a" username="ana" encryptedPassword="AES:[^"]+" \/>/,
    )
    expect(document).toMatch(
      /<tfs url="https:\/\/h\/a" username="bob" projectPath="\$\/p" encryptedPassword="AES:[^"]+" \/>/,
    )
    expect((await save(service, document)).status).toBe(200)
    expect(await currentOf(service)).toBe(document)
  })

  it('is kept nowhere, whichever way it came', async () => {
    const service = await quick()
    await save(service, documentWithAddresses('put'))
    await postForm(service, {
      xmlFile: documentWithAddresses('form'),
      md5: await digestOf(service),
    })
    const edit = {
      xml: documentWithAddresses('editor'),
      basedOn: await digestOf(service),
      action: 'save',
    }
    await submit(service, edit)
    for (const scm of ['git', 'hg']) {
      const body = new URLSearchParams({ url: `https://ana:${PLAIN}@h/${scm}`, scm })
      const created = await service.fetch(`/tab/admin/pipelines/${scm}.json`, {
        method: 'POST',
        body,
      })
      expect(created.status).toBe(201)
    }
    writeFileSync(join(service.repository, 'config.xml'), documentWithAddresses('file'))
    await until(async () => (await currentOf(service)).includes('name="file-git"'))
    await textOf(service, '/api/config/revisions?entity=pipeline/file-git')

    const pages = await Promise.all(
      [
        '/config',
        '/config/feed.atom',
        '/config/feed.json',
        '/api/config/revisions',
        '/config/r2',
        '/config/compare/r1/r2.patch',
        '/config/edit',
        '/config/entity/pipeline/file-git',
        '/health',
      ].map((path) => textOf(service, path)),
    )
    await service.close()

    expect(plainIn(keptBy(service))).toEqual([])
    expect(plainIn(pages.join('\n'))).toEqual([])
    expect(plainIn(JSON.stringify(service.logged))).toEqual([])
    expect(git(service.repository, 'log', '--format=%s').split('\n').length).toBeGreaterThan(5)
  })

  it('is refused in a push', async () => {
    const service = await quick()
    await save(service, documentWith('alpha'))
    const clone = await Clone.of(service.url)
    await clone.commit(documentWithAddresses('pushed'))

    const { code, stderr } = await clone.push()

    expect(code).toBe(1)
    expect(stderr).toMatch(/config\.xml:6:\d+: the secret in the address of <git>/)
    expect(plainIn(stderr)).toEqual([])
    expect(plainIn(keptBy(service))).toEqual([])
  })

  it('is not repeated by what refuses a document', async () => {
    const service = await quick()
    const twice = documentWithAddresses('a').replace(
      /<svn [^>]*>/,
      `<git url="https://ana:${PLAIN}@h/a.git" autoUpdate="false" />`,
    )

    const refused = await save(service, twice)
    const text = await refused.text()

    expect(refused.status).toBe(422)
    expect(text).toContain('autoUpdate')
    expect(plainIn(text)).toEqual([])
  })

  it('is not repeated where it stands in the wrong place, nor by the log', async () => {
    const service = await quick()
    await save(service, documentWith('a'))
    const misplaced = documentWith('a').replace(
      '<git url="https://example.org/a.git" />',
      `<git url="u" autoUpdate="https://${DASHED}@h/a.git" shallowClone="${TOKEN}" />`,
    )

    const refused = await save(service, misplaced)
    writeFileSync(join(service.repository, 'config.xml'), misplaced)
    await until(() => JSON.stringify(service.logged).includes('shallowClone'))

    expect(refused.status).toBe(422)
    expect(plainIn(await refused.text())).toEqual([])
    expect(plainIn(JSON.stringify(service.logged))).toEqual([])
    expect(plainIn(await textOf(service, '/health'))).toEqual([])
  })

  it('is distinguished from a name, a port and a parameter', async () => {
    const service = await quick()
    const document = documentWith('a', 'b', 'c', 'd')
      .replace('https://example.org/a.git', 'https://ana@h/a.git')
      .replace('https://example.org/b.git', 'ssh://git@h:22/b.git')
      .replace('https://example.org/c.git', 'https://h:8443/c@d.git')
      .replace('https://example.org/d.git', 'https://#{user}:#{password}@h/d.git')
      .replace(
        '<pipeline name="d">',
        '<pipeline name="d"><params><param name="user">u</param><param name="password">p</param></params>',
      )

    await save(service, document)

    expect(await currentOf(service)).toBe(document)
  })

  const kinds = [
    { kind: 'git', tags: [] },
    { kind: 'hg', tags: ['hg'] },
  ]
  describe.each(kinds)('of $kind', ({ kind, tags }) => {
    it('is what the server is asked with, and no file has it', { tags }, async () => {
      const asked: string[] = []
      const origin = createServer((request, response) => {
        asked.push(Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString())
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
      })
      await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void origin.close())
      const address = origin.address()
      const port = typeof address === 'object' ? address?.port : null
      const service = await startService(['--material-interval', '1s'])
      const url = `http://ana:${PLAIN}@127.0.0.1:${port}/a`
      await save(service, documentWith('a').replace(/<git [^>]*>/, `<${kind} url="${url}" />`))

      await until(() => asked.includes(`ana:${PLAIN}`))
      await until(async () => (await textOf(service, '/health')).includes('cannot be read'))

      expect(plainIn(await textOf(service, '/health'))).toEqual([])
      expect(plainIn(keptBy(service))).toEqual([])
      expect(plainIn(JSON.stringify(service.logged))).toEqual([])
    })
  })
})

async function digestOf(service: TestService): Promise<string> {
  const { headers } = await service.fetch('/api/admin/config.xml', { method: 'HEAD' })
  return headers.get('x-service-config-md5') ?? ''
}
