import { describe, expect, it } from 'vitest'
import { ErrorBody } from '../../src/wire/error-body.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { BuildScene, messageOf } from '../support/builds/build-service.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { shared } from '../support/programs/at-end.ts'
import { DescribedApi, type DescribedOperation } from '../support/service/described-api.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const STRANGER = 'a_field_of_nobody'
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

/** The types of bodies in which users' programs send fields to a call. Agents of other versions say more than they did. */
function fieldTypesOf({ path, requestBody }: DescribedOperation): string[] {
  if (!path.includes('/api/') && !path.startsWith('/tab/')) return []
  if (path.startsWith('/api/agents-protocol/')) return []
  const types = Object.keys(requestBody?.content ?? {})
  return types.filter((type) => type === FORM || type === JSON_TYPE)
}

/** Sends a field that no call has, beside one that is needed to come so far. */
function send(service: CalledService, { method, path }: DescribedOperation, type: string) {
  const fields = { [STRANGER]: 'x' }
  const body = type === FORM ? String(new URLSearchParams(fields)) : JSON.stringify(fields)
  const headers = { 'content-type': type, 'if-match': '*' }
  const address = path.replace('{name}.json', 'new.json').replaceAll(/\{\w+\}/g, '1')
  return service.fetch(address.replace('/revisions/1/', `/revisions/${'0'.repeat(40)}/`), {
    method: method.toUpperCase(),
    headers,
    body,
  })
}

describe('a field that a call does not know', () => {
  const scene = shared(() => BuildScene.open())

  it('is refused by its name, in every call that takes fields', async () => {
    const service = await openService()
    const { operations } = await DescribedApi.read(service)
    const calls = operations.flatMap((operation) =>
      fieldTypesOf(operation).map((type) => ({ operation, type })),
    )

    const accepted: string[] = []
    for (const { operation, type } of calls) {
      const answer = await send(service, operation, type)
      const text = await answer.text()
      if (answer.status === 400 && text.includes(STRANGER)) continue
      accepted.push(`${operation.method} ${operation.path} ${type}: ${answer.status} ${text}`)
    }

    expect(calls.length).toBeGreaterThan(15)
    expect(accepted).toEqual([])
  })

  it.each([
    [FORM, 'pause_cause=x'],
    [JSON_TYPE, '{"pause_cause":"x"}'],
    [FORM, '{"pause_cause":"x"}'],
  ])('pauses no pipeline: %s %s', async (type, body) => {
    const { service } = scene()
    const init = { method: 'POST', headers: { 'content-type': type }, body }

    const refused = await service.fetch('/api/pipelines/app/pause', init)

    expect(refused.status).toBe(400)
    expect(await messageOf(refused)).toContain('"pause_cause"')
    const status = await service.fetch('/api/pipelines/app/status')
    expect(await status.json()).toMatchObject({ paused: false })
  })

  it('restores nothing', async () => {
    const service = await openService()
    await save(service, documentWith('one'))
    const commit = git(service.repository, 'rev-parse', 'HEAD').trim()
    await save(service, documentWith('two'))
    const path = `/api/config/revisions/${commit}/restore`
    const body = new URLSearchParams({ entity: 'pipeline/one' })

    const refused = await service.fetch(path, { method: 'POST', body })

    expect(refused.status).toBe(400)
    expect(await messageOf(refused)).toContain('"entity"')
    expect(await (await service.fetch('/api/admin/config.xml')).text()).toBe(documentWith('two'))
  })
})

describe('a body of another form', () => {
  const refusing = shared(() => openService())

  it.each([
    ['{"username":"ana"}', ['name: it is missing', '"username" cannot be given here']],
    ['{"name":7}', ['name: it must be a string']],
    ['{"name":"ana","password":["x"]}', ['password: it must be a string']],
    ['[1]', ['it must be an object']],
  ])('is refused in words: %s', async (body, said) => {
    const service = refusing()
    const headers = { 'content-type': JSON_TYPE }

    const refused = await service.fetch('/api/users', { method: 'POST', headers, body })

    const { message, errors = [] } = ErrorBody.parse(await refused.json())
    expect(refused.status).toBe(400)
    expect(message).toBe(said[0])
    expect(
      errors.map((each) =>
        each.path === undefined ? each.message : `${each.path}: ${each.message}`,
      ),
    ).toEqual(said)
  })
})

describe('a body that says nothing', () => {
  const opened = shared(() => BuildScene.open())

  it.each([
    [JSON_TYPE, '{}'],
    [JSON_TYPE, '[]'],
    [JSON_TYPE, 'null'],
    [JSON_TYPE, ''],
    [FORM, '{}'],
    [FORM, ''],
    ['text/plain', ''],
  ])('is no field: %s "%s"', async (type, body) => {
    const scene = opened()
    const agent = new CallingAgent(scene.service)
    await agent.register()
    const init = { method: 'POST', headers: { 'content-type': type }, body }

    const answers = [
      await scene.service.fetch('/api/pipelines/app/pause', init),
      await scene.service.fetch('/api/pipelines/app/unpause', init),
      await scene.service.fetch(`/api/agents/${agent.uuid}/enable`, init),
      await scene.service.fetch(`/api/agents/${agent.uuid}/disable`, init),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('and fields of JSON are those of a form', async () => {
    const { service } = await BuildScene.open()
    const headers = { 'content-type': JSON_TYPE }
    const init = { method: 'POST', headers, body: '{"pauseCause":"release freeze"}' }

    expect((await service.fetch('/api/pipelines/app/pause', init)).status).toBe(200)
    const status = await service.fetch('/api/pipelines/app/status')
    expect(await status.json()).toMatchObject({ pausedCause: 'release freeze' })
  })
})
