import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SAMPLE } from '../../src/api/definition/sample.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import {
  ARTIFACTS,
  type Form,
  MATERIALS,
  pipelineWith,
  REFUSED,
  SVN,
  TASKS,
} from '../support/pages/pipeline-forms.ts'
import { save } from '../support/service/saving.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const Refusal = z.object({
  isValid: z.literal('false'),
  error: z.string().min(1),
  errors: z.array(z.object({ message: z.string(), path: z.string().optional() })).optional(),
})

function create(service: CalledService, form: Form, name = 'new'): Promise<Response> {
  const init = { method: 'POST', body: new URLSearchParams(form) }
  return service.fetch(`/tab/admin/pipelines/${name}.json`, init)
}

function commits({ repository }: CalledService): string[] {
  return git(repository, 'log', '--format=%an').trim().split('\n')
}

async function currentOf(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

/** The new pipeline as it stands in the document, its secrets replaced by a word. */
function pipelineIn(document: string, name = 'new'): string {
  const [, lines = ''] =
    new RegExp(`^( *<pipeline name="${name}">.*?</pipeline>)`, 'ms').exec(document) ?? []
  return lines
    .split('\n')
    .map((line) => line.slice(4))
    .join('\n')
    .replaceAll(/(encryptedPassword=)"AES:[^"]+"/g, '$1SEALED')
}

describe('POST /tab/admin/pipelines/[name].json', () => {
  it.each([
    ['a material', MATERIALS.map(([form, xml]) => [form, pipelineWith(xml, '<ant />')] as const)],
    [
      'a task',
      TASKS.map(
        ([form, xml]) => [{ ...form, url: 'http://scm/r' }, pipelineWith(SVN, xml)] as const,
      ),
    ],
    [
      'an artifact',
      ARTIFACTS.map(
        ([form, xml]) =>
          [
            { ...form, url: 'http://scm/r' },
            pipelineWith(SVN, '<ant />', ['<artifacts>', `  ${xml}`, '</artifacts>']),
          ] as const,
      ),
    ],
  ])('writes exactly what it is asked for: every form of %s', async (_, forms) => {
    const service = await openService()
    const before = documentWith('old')

    for (const [form, expected] of forms) {
      await save(service, before)
      const response = await create(service, form)

      expect([form, response.status, await response.json()]).toEqual([
        form,
        201,
        { isValid: 'true', error: '', messageId: 'Pipeline successfully created.' },
      ])
      const document = await currentOf(service)
      expect(pipelineIn(document)).toBe(expected)
      expect(document).not.toContain('s3cret')
      expect(git(service.repository, 'show', 'HEAD:config.xml')).toBe(document)
    }
  })

  it('refuses by name what is missing, wrong or of another kind, and changes nothing', async () => {
    const service = await openService()
    const before = await currentOf(service)

    for (const [form, parameters] of REFUSED) {
      const response = await create(service, form)
      const { errors = [], error } = Refusal.parse(await response.json())

      expect([form, response.status, errors.map(({ path }) => path)]).toEqual([
        form,
        400,
        parameters,
      ])
      for (const name of parameters) expect(error).toContain(`"${name}"`)
    }

    expect(await currentOf(service)).toBe(before)
    expect(commits(service)).toEqual(['Upgrade'])
  })

  it.each(['a b', '.hidden', 'x'.repeat(256), 'ä', 'a\nb', ''])(
    'refuses the name %j',
    async (name) => {
      const service = await openService()

      const response = await create(service, { url: 'u' }, encodeURIComponent(name))

      expect(response.status).toBe(400)
      expect(Refusal.parse(await response.json()).errors?.[0]?.path).toBe('name')
    },
  )

  it.each([
    ['everything is missing', {}, 'new'],
    ['a field is unknown', { url: 'u', colour: 'blue' }, 'new'],
    ['the name is none', { url: 'u' }, 'a b'],
    ['the name is in use', { url: 'u', pipelineGroup: 'first' }, SAMPLE.pipeline],
    ['the group is absent', { url: 'u', pipelineGroup: 'absent' }, 'new'],
  ])('refuses callers who may not add to the group: %s', async (_, form, name) => {
    const service = await openService()
    await secure(service)
    const init = { method: 'POST', body: new URLSearchParams(form), as: loginOf('viewer') }
    const path = `/tab/admin/pipelines/${encodeURIComponent(name)}.json`

    const response = await service.fetch(path, init)

    expect(response.status).toBe(403)
    expect(Refusal.parse(await response.json()).error).toContain('viewer may not')
  })

  it('refuses a body that is not the form that it announces', async () => {
    const service = await openService()
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const init = { method: 'POST', headers, body: '--y' }

    const response = await service.fetch('/tab/admin/pipelines/new.json', init)

    expect(response.status).toBe(400)
    expect(Refusal.parse(await response.json()).error).toContain('content type')
  })

  it('refuses a name in use, whatever its case, with 409', async () => {
    const service = await openService()
    await create(service, { url: 'u' })

    const response = await create(service, { url: 'u', pipelineGroup: 'other' }, 'NEW')

    const error = 'A pipeline "new" exists'
    expect(response.status).toBe(409)
    expect(Refusal.parse(await response.json())).toMatchObject({
      error,
      errors: [{ message: error, path: 'name' }],
    })
    expect(commits(service)).toEqual(['admin', 'Upgrade'])
  })

  it('refuses what the rules of the document do not allow, with their problem', async () => {
    const service = await openService()
    const base = documentWith('up')
    await save(service, base)

    const response = await create(service, { url: 'http://#{host}/r' })

    const { error, errors = [] } = Refusal.parse(await response.json())
    expect(response.status).toBe(400)
    expect(error).toContain('host')
    expect(errors[0]?.message).toContain('host')
    expect(await currentOf(service)).toBe(base)
  })

  it('makes a group that is absent, and adds to one that is there, touching no other line', async () => {
    const service = await openService()
    const before = documentWith('old')
    await save(service, before)

    await create(service, { url: 'u', pipelineGroup: 'first' }, 'one')
    await create(service, { url: 'u', pipelineGroup: 'fresh' }, 'two')

    const changes = git(service.repository, 'diff', '--numstat', 'HEAD~2', 'HEAD')
    const document = await currentOf(service)
    expect(changes).toMatch(/^30\t0\tconfig\.xml$/m)
    expect(document).toMatch(/group="first">[^]*"old"[^]*"one"[^]*group="fresh">[^]*"two"/)
  })

  it('gives ten pipelines and ten commits for ten calls at once', async () => {
    const service = await openService()
    const names = Array.from({ length: 10 }, (_, n) => `p${n}`)

    const responses = await Promise.all(
      names.map((name) => create(service, { url: 'u', pipelineGroup: `g${name}` }, name)),
    )

    const document = await currentOf(service)
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 201))
    expect(names.filter((name) => pipelineIn(document, name) === '')).toEqual([])
    expect(commits(service)).toEqual([...names.map(() => 'admin'), 'Upgrade'])
    expect(git(service.repository, 'fsck', '--strict')).toBe('')
  })
})
