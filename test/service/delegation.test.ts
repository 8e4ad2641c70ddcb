// @module-tag long
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  DELEGATED,
  DELEGATED_CASES,
  type DelegatedCase,
  mayMake,
  type Person,
} from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { casesOf } from '../support/programs/all-cases.ts'

const NAMES: readonly Person[] = ['root', 'owner', 'templater', 'viewer']
const ROOT = loginOf('root')

async function delegatedService(): Promise<CalledService> {
  return delegate(await openService())
}

async function reset(service: CalledService): Promise<void> {
  const answer = await save(service, DELEGATED, ROOT)
  expect(answer.status).toBe(200)
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

interface Attempt {
  readonly service: CalledService
  readonly person: Person
  readonly change: DelegatedCase
  /** The revision that an administrator made of the change and took back; empty for other doors. */
  readonly madeAs: string
}

/** The newest revision, as an administrator sees it. */
async function newest(service: CalledService): Promise<{ commitSHA: string; md5: string }> {
  const answer = await service.fetch('/api/config/revisions?limit=1', { as: ROOT })
  const [revision] = JSON.parse(await answer.text())
  return revision
}

function putDocument({ service, person, change }: Attempt): Promise<Response> {
  return save(service, change.document, loginOf(person))
}

function postDocument({ service, person, change }: Attempt): Promise<Response> {
  const body = new URLSearchParams({ xmlFile: change.document, md5: md5(DELEGATED) })
  return service.fetch('/api/admin/config.xml', { method: 'POST', body, as: loginOf(person) })
}

/** An administrator makes the change and takes it back. Returns its revision. */
async function makeAndTakeBack(service: CalledService, change: DelegatedCase): Promise<string> {
  expect([change.what, (await save(service, change.document, ROOT)).status]).toEqual([
    change.what,
    200,
  ])
  const { commitSHA } = await newest(service)
  await reset(service)
  return commitSHA
}

function restoreDocument({ service, person, madeAs }: Attempt): Promise<Response> {
  const path = `/api/config/revisions/${madeAs}/restore`
  return service.fetch(path, { method: 'POST', as: loginOf(person) })
}

/** The change as one entity, whose text an administrator takes from the changed document. */
async function putEntity({ service, person, change, madeAs }: Attempt): Promise<Response> {
  const path = `/api/config/entities/${change.entity}`
  const then = await service.fetch(`${path}?at=${madeAs}`, { as: ROOT })
  const now = await service.fetch(path, { as: ROOT })
  const conditions = now.status === 200 ? { 'if-match': '*' } : { 'if-none-match': '*' }
  const [, group = ''] = /group (\w+)/.exec(change.within[0] ?? '') ?? []
  return service.fetch(now.status === 200 ? path : `${path}?group=${group}`, {
    method: 'PUT',
    body: await then.text(),
    headers: conditions,
    as: loginOf(person),
  })
}

/** The change as the text of one entity, typed into the editor. */
function typeEntity({ service, person, change }: Attempt): Promise<Response> {
  const entity = change.entity ?? ''
  const xml = entityIn(change.document, entity)
  const fields = { xml, entity, basedOn: md5(DELEGATED), action: 'save' }
  const body = new URLSearchParams(fields)
  return service.fetch('/config/edit', { method: 'POST', body, as: loginOf(person) })
}

/** The XML of a pipeline, a group or a template of a document. */
function entityIn(document: string, entity: string): string {
  const [kind = '', name = ''] = entity.split('/')
  const [tag, by] = kind === 'group' ? ['pipelines', 'group'] : ['pipeline', 'name']
  const text = kind === 'template' ? document.slice(document.indexOf('<templates>')) : document
  return new RegExp(` *<${tag} ${by}="${name}"[^]*?</${tag}>`).exec(text)?.[0] ?? ''
}

/** Undoes that the change was taken back. */
async function undoReset({ service, person }: Attempt): Promise<Response> {
  const { commitSHA } = await newest(service)
  const body = new URLSearchParams({ basedOn: md5(DELEGATED), reason: 'It was right' })
  const init = { method: 'POST', body, as: loginOf(person) }
  return service.fetch(`/config/${commitSHA}/undo`, init)
}

/**
 * The people who try the change of a number: of who may do all and who may do nothing, one tries two changes,
 * then the other.
 */
function triersOf(n: number): readonly Person[] {
  const left = Math.floor(n / 2) % 2 === 0 ? 'viewer' : 'root'
  return casesOf({ all: NAMES, mostly: NAMES.filter((person) => person !== left) })
}

/** A way by which a person makes a change. */
interface Door {
  readonly name: string
  readonly make: (attempt: Attempt) => Promise<Response>
  /** The changes that can be made by it; all when absent. */
  readonly takes?: (change: DelegatedCase) => boolean
  /** The status of a change that is made. */
  readonly done?: number
  /** The people who try the change of a number by it. */
  readonly triers?: (n: number) => readonly Person[]
}

/** Cases that every group allows alike are tried in two of the four where the door is no PUT of the document. */
const WITHOUT_TWINS = casesOf({
  all: DELEGATED_CASES,
  mostly: DELEGATED_CASES.filter(({ what }) => !/ in (?:ours|hidden)$/.test(what)),
})

/**
 * Tries changes through some doors; the document is put back after each that passes.
 * What all of them need is prepared once for each change.
 */
async function statusesBy(
  doors: readonly Door[],
  cases: readonly DelegatedCase[],
  prepare: (service: CalledService, change: DelegatedCase) => Promise<string> = async () => '',
): Promise<Record<'found' | 'wanted', string[]>> {
  const service = await delegatedService()
  const [found, wanted]: [string[], string[]] = [[], []]
  for (const [n, change] of cases.entries()) {
    const madeAs = await prepare(service, change)
    for (const { name, make, takes = () => true, done = 200, triers = triersOf } of doors) {
      if (!takes(change)) continue
      for (const person of triers(n)) {
        const { status } = await make({ service, person, change, madeAs })
        if (status === done) await reset(service)
        found.push(`${name}, ${person}: ${change.what}: ${status}`)
        wanted.push(`${name}, ${person}: ${change.what}: ${mayMake(person, change) ? done : 403}`)
      }
    }
  }
  return { found, wanted }
}

/** A person merges what somebody else, or the same, has proposed: a proposal that is hidden is not there. */
async function mergeProposal({ service, person, change }: Attempt, as: string): Promise<Response> {
  const post = (path: string, by: string, body = '{}') => {
    const headers = { 'content-type': 'application/json' }
    return service.fetch(`/api/proposals${path}`, { method: 'POST', headers, body, as: by })
  }
  const content = JSON.stringify({ title: change.what, document: change.document })
  const made = await post('', as, content)
  if (made.status !== 201) return made
  const { number } = z.object({ number: z.number() }).parse(await made.json())
  const merged = await post(`/${number}/merge`, loginOf(person))
  if (merged.status !== 200) await post(`/${number}/close`, ROOT)
  return merged.status === 404 ? new Response(null, { status: 403 }) : merged
}

function isOfEntity({ entity }: DelegatedCase): boolean {
  return entity !== undefined
}

/** Whether a change is one of an entity that is there before. */
function isOfPresentEntity({ entity = '' }: DelegatedCase): boolean {
  return entityIn(DELEGATED, entity) !== ''
}

describe('a change is open to those who administer all that it lies in', () => {
  it('has sixty cases and more, some of them allowed and some not for each administrator of a part', () => {
    expect(DELEGATED_CASES.length).toBeGreaterThanOrEqual(60)
    for (const person of ['owner', 'templater'] as const) {
      const verdicts = DELEGATED_CASES.map((change) => mayMake(person, change))
      expect(new Set(verdicts).size).toBe(2)
    }
  })

  it.each<Door>([
    { name: 'put', make: putDocument, triers: () => NAMES },
    { name: 'post', make: postDocument },
    { name: 'form', make: typeEntity, takes: isOfPresentEntity, done: 303 },
  ])('by the door $name', { timeout: 120_000 }, async (door) => {
    const cases = door.name === 'put' ? DELEGATED_CASES : WITHOUT_TWINS
    const { found, wanted } = await statusesBy([door], cases)

    expect(found).toEqual(wanted)
  })

  it('by the doors create-pipeline and agent-administration', async () => {
    const service = await delegatedService()
    const allowed: string[] = []
    const statuses = new Set<number>()
    const post = async (what: string, path: string, by: { person: Person; body: string }) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const init = { method: 'POST', headers, body: by.body, as: loginOf(by.person) }
      const { status } = await service.fetch(path, init)
      statuses.add(status)
      if (status < 300) allowed.push(`${by.person}: ${what}`)
    }

    // The administrator comes last, whose deeds the others would otherwise find done.
    for (const person of NAMES.toReversed()) {
      for (const group of ['mine', 'ours', 'shown', 'hidden', 'fresh']) {
        const body = `pipelineGroup=${group}&scm=git&url=https%3A%2F%2Fexample.org%2Fnew.git`
        const path = `/tab/admin/pipelines/${person}-${group}.json`
        await post(`create in ${group}`, path, { person, body })
      }
      for (const deed of ['enable', 'disable', 'delete'])
        await post(deed, `/api/agents/u1/${deed}`, { person, body: '' })
    }

    expect([...statuses].toSorted((one, other) => one - other)).toEqual([200, 201, 401, 403])
    expect(allowed).toEqual([
      ...['mine', 'ours'].map((group) => `owner: create in ${group}`),
      ...['mine', 'ours', 'shown', 'hidden', 'fresh'].map((group) => `root: create in ${group}`),
      ...['enable', 'disable', 'delete'].map((deed) => `root: ${deed}`),
    ])
  })

  it('by the door proposal', { timeout: 120_000 }, async () => {
    const doors: readonly Door[] = [
      {
        name: 'proposal of another',
        make: (attempt) => mergeProposal(attempt, ROOT),
        triers: (n) => triersOf(n).filter((person) => person !== 'root'),
      },
      { name: 'proposal', make: (attempt) => mergeProposal(attempt, loginOf(attempt.person)) },
    ]
    const { found, wanted } = await statusesBy(doors, WITHOUT_TWINS)

    expect(found).toEqual(wanted)
  })

  it('by the doors undo, restore and entity', { timeout: 120_000 }, async () => {
    // The newest revision takes the change back until another part of it is put as an entity.
    const doors = [
      { name: 'undo', make: undoReset, done: 303 },
      { name: 'restore', make: restoreDocument },
      { name: 'entity', make: putEntity, takes: isOfEntity },
    ]
    const { found, wanted } = await statusesBy(doors, WITHOUT_TWINS, makeAndTakeBack)

    expect(found).toEqual(wanted)
  })
})

/** The answers of refusals, without the text that was sent. */
function textOf(answers: readonly Response[]): Promise<string[]> {
  return Promise.all(
    answers.map(async (each) => {
      const { originalContent: _sent, ...told } = JSON.parse(await each.text())
      return JSON.stringify(told)
    }),
  )
}

describe('a refusal', () => {
  it('says which part lies elsewhere and whose decision it needs, and names nothing that is hidden', async () => {
    const service = await delegatedService()
    const document = DELEGATED.replace('s1.git', 'x.git').replace('h1.git', 'y.git')

    const answer = await save(service, document, loginOf('owner'))

    expect(answer.status).toBe(403)
    const message =
      'The change reaches beyond what owner administers: pipeline s1, another pipeline'
    const needs = [{ rule: 'delegation', of: ['administrators of the server'], reason: message }]
    expect(JSON.parse(await answer.text())).toEqual({
      message,
      needs,
      propose: '/api/proposals',
    })
  })

  it('of a stale edit keeps the text of others to itself', async () => {
    const service = await delegatedService()
    await save(service, DELEGATED.replace('h1.git', 'hidden-address.git'), ROOT)
    const body = new URLSearchParams({
      xmlFile: DELEGATED.replace('h1.git', 'guess.git'),
      md5: md5(DELEGATED),
    })

    const init = { method: 'POST', body, as: loginOf('owner') }
    const answer = await service.fetch('/api/admin/config.xml', init)

    expect(answer.status).toBe(409)
    expect(await answer.text()).not.toContain('hidden-address')
  })

  it('of what others need counts them, and names them to administrators of the server alone', async () => {
    const service = await delegatedService()
    const needed = DELEGATED.replace(
      'h1.git" dest="git" />',
      'h1.git" dest="git" />\n        <pipeline pipelineName="m1" stageName="build" />',
    )
    await save(service, needed, ROOT)
    const [text = ''] = /    <pipeline name="m1">[^]*?<\/pipeline>/.exec(DELEGATED) ?? []
    const xml = text.trim().replace('stage name="build"', 'stage name="else"')
    const put = (as: string) => {
      const init = { method: 'PUT', body: xml, headers: { 'if-match': '*' }, as }
      return service.fetch('/api/config/entities/pipeline/m1', init)
    }
    const stale = new URLSearchParams({
      xmlFile: DELEGATED.replace(text.trim(), xml),
      md5: md5(DELEGATED),
    })
    const post = (as: string) =>
      service.fetch('/api/admin/config.xml', { method: 'POST', body: stale, as })

    const own = [await put(loginOf('owner')), await post(loginOf('owner'))]
    const all = [await put(ROOT), await post(ROOT)]

    expect([...own, ...all].map(({ status }) => status)).toEqual([422, 409, 422, 409])
    const counted = expect.stringContaining('The change breaks what others administer: one problem')
    const told = await textOf(own)
    expect(told).toEqual([counted, counted])
    expect(told.join('')).not.toContain('h1')
    expect(await textOf(all)).toEqual([
      expect.stringContaining('h1'),
      expect.stringContaining('h1'),
    ])
  })

  it('of one entity elsewhere says what it needs, as that of a document does', async () => {
    const service = await delegatedService()
    const as = loginOf('owner')
    const headers = { 'if-match': '*' }
    const body = '<pipeline name="s1" />'
    const put = { as, method: 'PUT', headers, body }

    const answers = [
      await service.fetch('/api/config/entities/pipeline/s1', put),
      await service.fetch('/api/config/entities/pipeline/s1', { as, method: 'DELETE', headers }),
    ]

    const message = 'User owner may not administer the pipeline group shown'
    const needs = [{ rule: 'delegation', of: ['administrators of the server'], reason: message }]
    for (const answer of answers) {
      expect(answer.status).toBe(403)
      expect(await answer.json()).toEqual({ message, needs, propose: '/api/proposals' })
    }
  })

  it('says at each door what the change needs', async () => {
    const service = await delegatedService()
    await save(service, DELEGATED.replace('h1.git', 'x.git'), ROOT)
    const rules = { 'if-none-match': '*' }
    const json = { 'content-type': 'application/json' }
    const form = new URLSearchParams({ xmlFile: DELEGATED, md5: md5(DELEGATED) })
    const pipeline = new URLSearchParams({ pipelineGroup: 'mine', url: 'https://example.org/n' })
    const calls: readonly (readonly [Person, string, string, RequestInit])[] = [
      ['viewer', 'PUT', '/api/admin/config.xml', { headers: { 'if-match': '*' }, body: DELEGATED }],
      ['viewer', 'POST', '/api/admin/config.xml', { body: form }],
      ['viewer', 'POST', '/tab/admin/pipelines/new.json', { body: pipeline }],
      ['viewer', 'DELETE', '/api/config/entities/pipeline/m1', { headers: { 'if-match': '*' } }],
      ['viewer', 'POST', '/api/config/revisions/r1/restore', {}],
      ['viewer', 'POST', '/api/config/revisions/current/undo', {}],
      ['owner', 'POST', '/api/config/revisions/current/undo', {}],
      ['owner', 'POST', '/api/config/entities/pipeline/h1/restore?to=r2', {}],
      ['owner', 'POST', '/api/agents/u1/enable', {}],
      ['owner', 'POST', '/api/agents/u1/disable', {}],
      ['owner', 'PATCH', '/api/agents/u1', { headers: json, body: '{"resources":["x"]}' }],
      ['owner', 'PUT', '/api/admin/rules.yaml', { headers: rules, body: 'version: 1\nrules: []' }],
    ]

    for (const [person, method, path, init] of calls) {
      const answer = await service.fetch(path, { ...init, method, as: loginOf(person) })
      const told: unknown = await answer.json()

      expect([person, path, answer.status, told]).toEqual([
        person,
        path,
        403,
        expect.objectContaining({
          needs: [expect.objectContaining({ rule: 'delegation', reason: expect.any(String) })],
          propose: '/api/proposals',
        }),
      ])
    }
  })

  it('of an entity elsewhere does not show it', async () => {
    const service = await delegatedService()
    const path = '/api/config/entities/pipeline/h1'
    const headers = { 'if-match': `"${'0'.repeat(32)}"` }
    const as = loginOf('owner')

    const answers = [
      await service.fetch(path, { as }),
      await service.fetch('/api/config/entities/pipeline/nothing', { as }),
      await service.fetch(path, { as, method: 'PUT', headers, body: '<pipeline name="h1" />' }),
      await service.fetch(path, { as, method: 'DELETE', headers }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(texts.filter((text) => text.includes('h1.git'))).toEqual([])
  })
})

describe('whoever administers a group', () => {
  it('reads its entities, and lists no other', async () => {
    const service = await delegatedService()
    const as = loginOf('owner')

    const list = JSON.parse(await (await service.fetch('/api/config/entities', { as })).text())

    const names = list.map(({ kind, name }: Record<string, string>) => `${kind}/${name}`)
    expect(names).toEqual([
      'pipeline/m1',
      'pipeline/m2',
      'pipeline/o1',
      'pipeline/o2',
      'group/mine',
      'group/ours',
    ])
    expect((await service.fetch('/api/config/entities/pipeline/m1', { as })).status).toBe(200)
    expect((await service.fetch('/api/admin/config.xml', { as })).status).toBe(403)
  })

  it('compares its entities, and nothing else', async () => {
    const service = await delegatedService()
    const { commitSHA: from } = await newest(service)
    await save(service, DELEGATED.replace('m1.git', 'x.git').replace('h1.git', 'y.git'), ROOT)
    const { commitSHA: to } = await newest(service)
    const read = async (path: string) => {
      const answer = await service.fetch(`/api/config/${path}`, { as: loginOf('owner') })
      return { status: answer.status, text: await answer.text() }
    }

    const own = [
      await read(`diff/${from}/${to}?entity=pipeline/m1`),
      await read(`changes/${from}/${to}?entity=group/mine`),
    ]
    const others = [
      await read(`diff/${from}/${to}`),
      await read(`changes/${from}/${to}`),
      await read(`diff/${from}/${to}?entity=pipeline/h1`),
      await read(`changes/${from}/${to}?entity=group/hidden`),
      await read(`diff/${from}/${to}?entity=pipeline/never`),
    ]

    expect(own.map(({ status }) => status)).toEqual([200, 200])
    expect(own.map(({ text }) => [text.includes('x.git'), text.includes('y.git')])).toEqual([
      [true, false],
      [true, false],
    ])
    expect(others.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  })

  it('reads no entity as it was in a group of others', async () => {
    const service = await delegatedService()
    const { commitSHA } = await newest(service)
    const moved = DELEGATED_CASES.find(({ what }) => what === 'a move into an own group')
    await save(service, moved?.document ?? '', ROOT)
    const as = loginOf('owner')

    const now = await service.fetch('/api/config/entities/pipeline/s2', { as })
    const then = await service.fetch(`/api/config/entities/pipeline/s2?at=${commitSHA}`, { as })

    const { commitSHA: moving } = await newest(service)
    const diff = `/api/config/diff/${commitSHA}/${moving}?entity=pipeline/s2`
    const between = await service.fetch(diff, { as })

    expect([now.status, then.status, between.status]).toEqual([200, 403, 403])
  })

  it('reads no entity as it was before it went into a group of others', async () => {
    const service = await delegatedService()
    const { commitSHA } = await newest(service)
    const moved = DELEGATED_CASES.find(({ what }) => what === 'a move out of an own group')
    await save(service, moved?.document ?? '', ROOT)
    const read = (as: string | null) =>
      service.fetch(`/api/config/entities/pipeline/m1?at=${commitSHA}`, { as })

    const [owner, root] = [await read(loginOf('owner')), await read(ROOT)]

    expect([owner.status, root.status]).toEqual([403, 200])
    expect(await owner.text()).not.toContain('m1.git')
  })

  it('is told that an own entity was not there then, and nothing of those of others', async () => {
    const service = await delegatedService()
    const { commitSHA } = await newest(service)
    await save(service, DELEGATED.replace('name="m1"', 'name="m3"'), ROOT)
    const read = async (person: Person, name: string) => {
      const places = [
        `entities/pipeline/${name}?at=`,
        `blame/${commitSHA}?entity=pipeline/${name}&at=`,
      ]
      const answers = places.map((place) =>
        service.fetch(`/api/config/${place}${commitSHA}`, { as: loginOf(person) }),
      )
      return (await Promise.all(answers)).map(({ status }) => status)
    }

    expect(await read('owner', 'm3')).toEqual([404, 404])
    expect(await read('owner', 'm2')).toEqual([200, 200])
    for (const name of ['m1', 'h1', 'never']) {
      expect([name, await read('owner', name)]).toEqual([name, [403, 403]])
    }
    expect(await read('root', 'm1')).toEqual([200, 200])
    expect(await read('root', 'm3')).toEqual([404, 404])
  })

  it('saves beside a change of others that came in between', async () => {
    const service = await delegatedService()
    await save(service, DELEGATED.replace('h1.git', 'elsewhere.git'), ROOT)
    const xmlFile = DELEGATED.replace('m1.git', 'own.git')

    const init = {
      method: 'POST',
      body: new URLSearchParams({ xmlFile, md5: md5(DELEGATED) }),
      as: loginOf('owner'),
    }
    const answer = await service.fetch('/api/admin/config.xml', init)

    expect(answer.status).toBe(200)
    const text = await (await service.fetch('/api/admin/config.xml', { as: ROOT })).text()
    expect(text).toMatch(/own\.git[^]*elsewhere\.git/)
  })

  it('may leave a pipeline with what it named before, whatever that is', async () => {
    const service = await delegatedService()
    const given = DELEGATED.replace(
      'm1.git" dest="git" />',
      'm1.git" dest="git" />\n        <pipeline pipelineName="h1" stageName="build" />',
    )
    await save(service, given, ROOT)

    const answer = await save(
      service,
      given.replace('m1.git', 'else.git').replace('name="m1"', 'name="m3"'),
      loginOf('owner'),
    )

    expect(answer.status).toBe(200)
  })
})
