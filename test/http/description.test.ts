import { describe, expect, it } from 'vitest'
import { describedRoutes } from '../../src/api/description/described-call.ts'
import { ROUTES } from '../../src/api/resources.ts'
import { PAGE_ROUTES } from '../../src/pages/pages-routes.ts'
import { shared } from '../support/programs/at-end.ts'
import { DescribedApi, type DescribedOperation } from '../support/service/described-api.ts'
import { startService } from '../support/service/service.ts'

function hasExample({ example }: { readonly example?: unknown }): boolean {
  return example !== undefined
}

/** Facts that a reader would have to guess to make a call and to understand its answer. */
function missingFrom({ method, path, ...more }: DescribedOperation): string[] {
  const { parameters, requestBody, responses } = more
  const needed = parameters.filter((one) => one.required && one.example === undefined)
  const bodies = Object.values(requestBody?.content ?? {})
  const [success] = Object.values(responses)
  const answers = Object.values(success?.content ?? {})
  return [
    ...needed.map(({ name }) => `${method} ${path}: ${name}`),
    ...(requestBody?.required && !bodies.some(hasExample) ? [`${method} ${path}: its body`] : []),
    ...(answers.some(({ schema }) => schema) && !answers.some(hasExample)
      ? [`${method} ${path}: its answer`]
      : []),
  ]
}

describe('the description of the interface', () => {
  const reading = shared(() => startService())

  it('has every route that is no page, with a summary of its own', async () => {
    const service = reading()

    const { operations } = await DescribedApi.read(service)

    const undescribed = operations.filter((operation) => operation['x-undescribed'] === true)
    expect(undescribed.map(({ method, path }) => `${method} ${path}`)).toEqual([])
    expect(operations.length).toBeGreaterThan(40)
    expect(operations.filter(({ summary }) => summary === '')).toEqual([])
  })

  it('describes no route that is not there', async () => {
    const service = reading()

    const { operations } = await DescribedApi.read(service)

    const described = operations.filter((operation) => operation['x-page'] !== true)
    expect(described).toHaveLength(describedRoutes([...ROUTES, ...PAGE_ROUTES]).length)
  })

  it('says which calls are open to those who administer a group or a template, and for what', async () => {
    const { operations } = await DescribedApi.read(reading())
    const known = new Map(
      operations.map(({ method, path, description }) => [`${method} ${path}`, description]),
    )
    const forOf = (call: string) => known.get(call) ?? ''

    for (const call of [
      'put /api/config/entities/{kind}/{name}',
      'delete /api/config/entities/{kind}/{name}',
      'get /api/config/entities/{kind}/{name}',
      'put /api/admin/config.xml',
      'post /api/config/revisions/{commit}/undo',
    ]) {
      expect([call, forOf(call)]).toEqual([
        call,
        expect.stringContaining('those of a pipeline group or a template for changes that lie'),
      ])
    }
    for (const call of [
      'get /api/config/revisions',
      'get /api/config/diff/{from}/{to}',
      'get /api/config/changes/{from}/{to}',
      'get /api/config/changes/{revision}',
      'get /api/config/blame/{revision}',
      'get /config/feed.atom',
      'get /config/feed.json',
    ]) {
      expect([call, forOf(call)]).toEqual([
        call,
        expect.stringContaining('with `entity` those who administer the pipeline group'),
      ])
    }
    expect(forOf('post /api/config/plan')).toContain('Those who may view all that')
    expect(forOf('get /api/admin/config.xml')).toContain('For: Administrators.')
  })

  it('names every parameter of a path, and every call by a name of its own', async () => {
    const service = reading()

    const { operations } = await DescribedApi.read(service)

    for (const { path, parameters } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const named = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name)
      expect([path, named]).toEqual([path, inPath])
    }
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  })

  it('says what every parameter in the path of a call means', async () => {
    const service = reading()

    const { operations } = await DescribedApi.read(service)

    const calls = operations.filter((operation) => operation['x-page'] !== true)
    const unexplained = calls.flatMap(({ path, parameters }) =>
      parameters
        .filter((one) => one.in === 'path' && !one.description)
        .map(({ name }) => [path, name]),
    )
    expect(unexplained).toEqual([])
  })

  it('has an example of every call that is as the call is described', async () => {
    const service = reading()
    const api = await DescribedApi.read(service)
    const calls = api.operations.filter((operation) => operation['x-page'] !== true)

    const faults = calls.flatMap((operation) => [
      ...missingFrom(operation),
      ...api.faultsOfExamples(operation),
    ])

    expect(faults).toEqual([])
  })

  it('is a page too, and both need a login', async () => {
    const service = reading()

    const page = await service.fetch('/api')
    const text = await page.text()

    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(text).toContain('/api/agents/{uuid}/enable')
    expect((await service.fetch('/api', { as: null })).status).toBe(401)
    expect((await service.fetch('/api/openapi.json', { as: null })).status).toBe(401)
  })
})
