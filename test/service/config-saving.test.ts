import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aConfiguration } from '../support/documents/a-configuration.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { postForm, save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const DIGEST = 'x-service-config-md5'
const BASE = documentWith('alpha', 'beta', 'gamma')

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

/** As a browser sends a text. */
function sent(...pipelines: readonly string[]): string {
  return documentWith(...pipelines).replaceAll('\n', '\r\n')
}

async function currentOf(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

async function sizeOf(service: CalledService): Promise<number> {
  const revisions: unknown = await (await service.fetch('/api/config/revisions')).json()
  return Array.isArray(revisions) ? revisions.length : -1
}

async function serviceAt(document: string): Promise<CalledService> {
  const service = await openService()
  await save(service, document)
  return service
}

async function putOver(service: CalledService, tags: string, document: string): Promise<number> {
  const init = { method: 'PUT', headers: { 'if-match': tags }, body: document }
  return (await service.fetch('/api/admin/config.xml', init)).status
}

describe('If-Match', () => {
  const NEVER = '0'.repeat(32)

  it.each([
    (digest: string) => `"${NEVER}", "${digest}"`,
    (digest: string) => `"${digest}","${NEVER}"`,
    (digest: string) => `W/"${digest}"`,
    (digest: string) => `"${digest}-gzip"`,
    (digest: string) => `"${digest}--gzip"`,
    (digest: string) => `W/"${digest}-br"`,
    (digest: string) => `"${NEVER}-gzip", W/"${digest};gzip"`,
    (digest: string) => ` ${digest.toUpperCase()} `,
  ])('may be a list, weak, and what a proxy makes of it: case %#', async (tagsOf) => {
    const service = await serviceAt(BASE)

    expect(await putOver(service, tagsOf(md5(BASE)), documentWith('alpha'))).toBe(200)
  })

  it('names the base of a stale edit also in a list', async () => {
    const service = await serviceAt(BASE)
    await save(service, BASE.replace('name="gamma"', 'name="delta"'))

    const status = await putOver(
      service,
      `"${NEVER}", "${md5(BASE)}"`,
      BASE.replace('name="alpha"', 'name="omega"'),
    )

    expect(status).toBe(200)
    expect(await currentOf(service)).toMatch(/"omega"[^]*"beta"[^]*"delta"/)
  })

  it.each(['"x"', `"${NEVER}", x`, `"${NEVER}-zip"`, `"${NEVER}",`])(
    'is refused where it is no digest: %s',
    async (tags) => {
      expect(await putOver(await serviceAt(BASE), tags, documentWith('alpha'))).toBe(400)
    },
  )

  it('that no revision ever had is stale', async () => {
    const status = await putOver(await serviceAt(BASE), `"${NEVER}", "${NEVER}"`, documentWith('a'))

    expect(status).toBe(412)
  })

  it('restores over the revision that a list has', async () => {
    const service = await serviceAt(BASE)
    await save(service, documentWith('alpha'))
    const older = git(service.repository, 'rev-parse', 'HEAD~1').trim()
    const headers = { 'if-match': `"${NEVER}", W/"${md5(documentWith('alpha'))}-gzip"` }

    const path = `/api/config/revisions/${older}/restore`
    const restored = await service.fetch(path, { method: 'POST', headers })

    expect(restored.status).toBe(200)
    expect(await currentOf(service)).toBe(BASE)
  })
})

describe('the form save', () => {
  it.each(['/api/admin/config.xml', '/admin/restful/configuration/file/POST/xml'])(
    'makes one commit by the caller at %s',
    async (path) => {
      const service = await serviceAt(BASE)
      const edited = documentWith('alpha', 'beta', 'gamma', 'delta')

      const response = await postForm(service, { xmlFile: edited, md5: md5(BASE) }, path)

      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ result: 'File changed successfully.' })
      expect(response.headers.get(DIGEST)).toBe(md5(edited))
      expect(git(service.repository, 'show', 'HEAD:config.xml')).toBe(edited)
      expect(git(service.repository, 'log', '-1', '--format=%an')).toBe('admin\n')
      expect(git(service.repository, 'status', '--porcelain')).toBe('')
    },
  )

  it('refuses an invalid document with place and reason, and gives the text back', async () => {
    const service = await serviceAt(BASE)
    const broken = BASE.replace('</jobs>', '</job>')

    const response = await postForm(service, { xmlFile: broken, md5: md5(BASE) })

    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({
      result: expect.any(String),
      originalContent: broken,
      errors: [{ line: expect.any(Number), column: expect.any(Number) }],
    })
    expect(await currentOf(service)).toBe(BASE)
  })

  it('refuses a form without its fields', async () => {
    const service = await serviceAt(BASE)

    const noDocument = await postForm(service, { md5: md5(BASE) })
    const noBase = await postForm(service, { xmlFile: BASE })

    expect([noDocument.status, noBase.status]).toEqual([400, 400])
  })

  it('keeps every byte, also those a form has to escape', async () => {
    const service = await serviceAt(BASE)
    const odd = BASE.replace('<exec command="make" />', '<exec command="mäke&amp;+%41" />')

    await postForm(service, { xmlFile: odd, md5: md5(BASE) })

    expect(await currentOf(service)).toBe(odd)
  })

  it('keeps the line endings of what it began from, as a browser sends its own', async () => {
    const service = await serviceAt(BASE)

    await postForm(service, { xmlFile: sent('alpha', 'beta'), md5: md5(BASE) })
    expect(await currentOf(service)).toBe(documentWith('alpha', 'beta'))

    await save(service, sent('alpha', 'beta'))
    await postForm(service, { xmlFile: sent('alpha', 'gamma'), md5: md5(sent('alpha', 'beta')) })
    expect(await currentOf(service)).toBe(sent('alpha', 'gamma'))
  })

  it('merges what began from a document that has been replaced, in its line endings', async () => {
    const service = await serviceAt(BASE)
    await save(service, BASE.replace('name="alpha"', 'name="renamed"'))
    const typed = sent('alpha', 'beta', 'gamma', 'delta')

    const response = await postForm(service, { xmlFile: typed, md5: md5(BASE) })

    expect(response.status).toBe(200)
    const merged = documentWith('alpha', 'beta', 'gamma', 'delta')
    expect(await currentOf(service)).toBe(merged.replace('name="alpha"', 'name="renamed"'))
  })

  it('makes no commit when nothing but its own line endings is otherwise', async () => {
    const service = await serviceAt(BASE)
    const before = await sizeOf(service)

    await postForm(service, { xmlFile: sent('alpha', 'beta', 'gamma'), md5: md5(BASE) })

    expect(await sizeOf(service)).toBe(before)
  })
})

describe('a PUT save', () => {
  it('needs the digest it began from', async () => {
    const service = await serviceAt(BASE)

    const response = await service.fetch('/api/admin/config.xml', { method: 'PUT', body: BASE })

    expect(response.status).toBe(428)
  })

  it('answers with the digest and ETag of what is now current', async () => {
    const service = await serviceAt(BASE)
    const edited = documentWith('alpha')
    const headers = { 'if-match': `"${md5(BASE)}"` }

    const response = await service.fetch('/api/admin/config.xml', {
      method: 'PUT',
      headers,
      body: edited,
    })

    expect(response.status).toBe(200)
    expect(response.headers.get(DIGEST)).toBe(md5(edited))
    expect(response.headers.get('etag')).toBe(`"${md5(edited)}"`)
  })

  it('makes no commit when nothing changes', async () => {
    const service = await serviceAt(BASE)
    const before = await sizeOf(service)

    const response = await save(service, BASE)

    expect(response.status).toBe(200)
    expect(await sizeOf(service)).toBe(before)
  })

  it('changes line endings where nothing else is otherwise, and says so', async () => {
    const service = await serviceAt(BASE)
    const windows = BASE.replaceAll('\n', '\r\n')

    await save(service, windows)

    expect(await currentOf(service)).toBe(windows)
    expect(git(service.repository, 'log', '-1', '--format=%s')).toBe('Line endings LF -> CRLF\n')
  })

  it('reports every error with line and column', async () => {
    const service = await serviceAt(BASE)
    const broken = BASE.replace('name="alpha"', 'nmae="alpha"').replace(
      'name="beta"',
      'name="be ta"',
    )

    const response = await save(service, broken)
    const body: unknown = await response.json()

    expect(response.status).toBe(422)
    expect(body).toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ line: 4 })]),
    })
    expect(JSON.stringify(body)).toContain('nmae')
    expect(JSON.stringify(body)).toContain('be ta')
  })

  it('refuses a body over the limit', async () => {
    const service = await openService(['--max-body', '4KiB'])

    const response = await save(
      service,
      documentWith(...Array.from({ length: 50 }, (_, n) => `p${n}`)),
    )

    expect(response.status).toBe(413)
  })
})

/** The lines of a pipeline of the base. */
function pipelineOf(name: string): string {
  const lines = new RegExp(`^ *<pipeline name="${name}">[^]*?</pipeline>\n`, 'm').exec(BASE)
  return lines?.[0] ?? ''
}

function put(service: CalledService, document: string, basedOn: string): Promise<Response> {
  const headers = { 'if-match': `"${md5(basedOn)}"` }
  return service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body: document })
}

describe('a stale save', () => {
  const mine = BASE.replace('alpha.git', 'mine.git')
  const theirs = BASE.replace('gamma.git', 'theirs.git')

  it('is merged when it touches other lines: one ordinary commit', async () => {
    const service = await serviceAt(BASE)
    await put(service, theirs, BASE)

    const response = await put(service, mine, BASE)

    const merged = await currentOf(service)
    expect(response.status).toBe(200)
    expect(merged).toBe(mine.replace('gamma.git', 'theirs.git'))
    expect(response.headers.get(DIGEST)).toBe(md5(merged))
    expect(git(service.repository, 'log', '--merges', '--format=%H')).toBe('')
  })

  it('leaves the edits of others with what they edited, in whatever order things stand', async () => {
    const [first = '', second = '', third = ''] = ['alpha', 'beta', 'gamma'].map(pipelineOf)
    const [before = ''] = BASE.split(first)
    const after = BASE.slice(BASE.indexOf(third) + third.length)
    const service = await serviceAt(BASE)
    await put(service, BASE.replace(first, first.replace('make', 'deploy')), BASE)

    const response = await put(service, [before, second, third, first, after].join(''), BASE)

    expect(response.status).toBe(200)
    const edited = first.replace('make', 'deploy')
    expect(await currentOf(service)).toBe([before, second, third, edited, after].join(''))
  })

  it('leaves the edits of others with the agents that they edited', async () => {
    const agents = ['u1', 'u2', 'u3'].map((uuid) => ({ uuid, resources: ['linux', 'a'] }))
    const base = aConfiguration({ agents })
    const service = await serviceAt(base)
    const changed = { uuid: 'u1', resources: ['linux', 'prod'] }
    await put(service, aConfiguration({ agents: agents.with(0, changed) }), base)

    const response = await put(service, aConfiguration({ agents: agents.toReversed() }), base)

    expect(response.status).toBe(200)
    const [, , third = ''] = (await currentOf(service)).split('<agent ').slice(1)
    expect(third).toContain('uuid="u1"')
    expect((await currentOf(service)).split('prod')).toHaveLength(2)
    expect(third).toContain('prod')
  })

  it('names the place of a conflict, and gives both sides as they are', async () => {
    const service = await serviceAt(BASE)
    const command = '<exec command="make" />'
    await put(service, BASE.replace(command, '<exec command="theirs" />'), BASE)

    const response = await put(service, BASE.replace(command, '<exec command="mine" />'), BASE)

    expect(response.status).toBe(412)
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining('pipeline "alpha" › stage "test" › job "unit" › exec'),
      errors: [
        { path: 'yours', message: '<exec command="mine" />' },
        { path: 'theirs (admin)', message: '<exec command="theirs" />' },
      ],
    })
  })

  it('is refused when it touches the same lines, with both sides', async () => {
    const service = await serviceAt(BASE)
    await put(service, BASE.replace('alpha.git', 'theirs.git'), BASE)

    const response = await put(service, mine, BASE)

    const body = JSON.stringify(await response.json())
    expect(response.status).toBe(412)
    expect(body).toContain('mine.git')
    expect(body).toContain('theirs.git')
    expect(await currentOf(service)).toContain('theirs.git')
  })

  it('is merged or refused by itself among others that come at once', async () => {
    const service = await serviceAt(BASE)
    const edits = ['alpha', 'beta', 'gamma', 'gamma'].map((name, n) =>
      BASE.replace(`${name}.git`, `edit-${n}.git`),
    )

    const answers = await Promise.all(edits.map((edit) => put(service, edit, BASE)))

    const statuses = answers.map(({ status }) => status)
    expect(statuses.slice(0, 2)).toEqual([200, 200])
    expect(statuses.slice(2).toSorted((a, b) => a - b)).toEqual([200, 412])
    const kept = edits.flatMap((_, n) => (statuses[n] === 200 ? [`edit-${n}.git`] : []))
    const current = await currentOf(service)
    expect(kept.filter((edit) => current.includes(edit))).toEqual(kept)
    expect(await sizeOf(service)).toBe(2 + kept.length)
    const digests = git(
      service.repository,
      'log',
      '-3',
      '--format=%(trailers:key=Config-MD5,valueonly)',
    )
    const answered = answers.flatMap(({ headers }) => headers.get(DIGEST) ?? [])
    expect(
      digests
        .split(/\n+/)
        .filter((each) => each !== '')
        .toSorted(),
    ).toEqual(answered.toSorted())
  })

  it('is refused when the merge is not valid', async () => {
    const service = await serviceAt(BASE)
    await put(service, BASE.replace('name="alpha"', 'name="same"'), BASE)

    const response = await put(service, BASE.replace('name="gamma"', 'name="same"'), BASE)

    expect(response.status).toBe(422)
  })

  it.each([
    ['merges', BASE.replace('<cruise', '<!-- later -->\n<cruise')],
    ['does not merge', BASE.replace('</jobs>', '</jobs><!-- later -->')],
  ])('says where it is wrong itself when it %s', async (_, later) => {
    const service = await serviceAt(BASE)
    const wrong = BASE.replace('</jobs>', '</job>')
    const problems = await (await save(service, wrong)).json()
    await put(service, later, BASE)

    const response = await put(service, wrong, BASE)

    expect(response.status).toBe(422)
    expect(await response.json()).toEqual(problems)
    expect(await currentOf(service)).toBe(later)
  })

  it('is refused when it began from what was never current', async () => {
    const service = await serviceAt(BASE)

    const response = await put(service, mine, 'never')

    expect(response.status).toBe(412)
  })
})
