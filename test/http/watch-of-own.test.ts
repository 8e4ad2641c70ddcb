import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { git } from '../support/git/git.ts'
import { DELEGATED, type Person } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { openEvents } from '../support/service/event-reader.ts'
import { movedPipeline } from '../support/service/moved-pipeline.ts'
import { startService, type TestService } from '../support/service/service.ts'

const ROOT = loginOf('root')
const OWNER = loginOf('owner')
const MINE = 'entity=group/mine'

const change = (name: string, document = DELEGATED) =>
  document.replace(`${name}.git`, `${name}-else.git`)

/** A change that the owner of the group `mine` must not hear of. */
const HIDDEN_CHANGE = change('h1')
const OWN_CHANGE = change('m1', HIDDEN_CHANGE)

async function open(): Promise<TestService> {
  return delegate(await startService(['--poll-interval', '50ms']))
}

async function saveAs(service: TestService, document: string, message: string, as = ROOT) {
  const headers = { 'if-match': '*', 'x-cairn-message': encodeURIComponent(message) }
  const init = { method: 'PUT', headers, body: document, as }
  expect((await service.fetch('/api/admin/config.xml', init)).status).toBe(200)
}

async function entries(service: TestService, path: string, as = OWNER): Promise<RevisionEntry[]> {
  const response = await service.fetch(path, { as })
  expect(response.status).toBe(200)
  return z.array(RevisionEntry).parse(await response.json())
}

const messagesOf = (found: readonly RevisionEntry[]) => found.map(({ message }) => message)

function statusOf(service: TestService, query: string, person: Person): Promise<number> {
  const as = loginOf(person)
  return service.fetch(`/api/config/watch?${query}`, { as }).then(({ status }) => status)
}

describe('who administers an entity', () => {
  it('waits for its revisions, and hears of no others', async () => {
    const service = await open()
    const [known] = await entries(service, `/api/config/watch?${MINE}`)
    const since = known?.commitSHA ?? ''
    const held = entries(service, `/api/config/watch?since=${since}&${MINE}`)

    await saveAs(service, HIDDEN_CHANGE, 'elsewhere')
    await saveAs(service, OWN_CHANGE, 'here')

    const all = `/api/config/watch?since=${since}&wait=0`
    expect(messagesOf(await held)).toEqual(['here'])
    expect(messagesOf(await entries(service, `${all}&entity=pipeline/m1`))).toEqual(['here'])
    expect(await entries(service, `${all}&entity=pipeline/m2`)).toEqual([])
    expect(messagesOf(await entries(service, all, ROOT))).toEqual(['here', 'elsewhere'])
  })

  it('is told as the newest what the list has first', async () => {
    const service = await open()
    await saveAs(service, OWN_CHANGE, 'here')
    await saveAs(service, change('h2', OWN_CHANGE), 'elsewhere')

    for (const as of [OWNER, ROOT]) {
      const [listed] = await entries(service, `/api/config/revisions?limit=1&${MINE}`, as)
      const newest = await entries(service, `/api/config/watch?${MINE}`, as)
      expect(newest).toEqual([RevisionEntry.parse(listed)])
      expect(messagesOf(newest)).toEqual(['here'])
    }
  })

  it('hears of a pipeline from when it comes from others until it goes to them', async () => {
    const service = await open()
    const [known] = await entries(service, `/api/config/watch?${MINE}`)
    const before = change('s1')
    const here = movedPipeline('s1', 'm1', before)
    const changed = here.replace('s1-else.git', 's1-own.git')
    const away = movedPipeline('s1', 'h1', changed)
    const after = away.replace('s1-own.git', 's1-hidden.git')
    await saveAs(service, before, 'what others did before')
    await saveAs(service, here, 's1 comes')
    await saveAs(service, changed, 's1 here')
    await saveAs(service, away, 's1 goes')
    await saveAs(service, after, 'what others do after')

    const since = known?.commitSHA ?? ''
    const heard = await entries(service, `/api/config/watch?since=${since}&wait=0&${MINE}`)

    expect(messagesOf(heard)).toEqual(['s1 goes', 's1 here', 's1 comes'])
  })

  it('is refused what others administer, and everything together', async () => {
    const service = await open()

    const statuses = await Promise.all([
      statusOf(service, '', 'owner'),
      statusOf(service, 'entity=group/shown', 'owner'),
      statusOf(service, 'entity=pipeline/h1', 'owner'),
      statusOf(service, 'entity=pipeline/none', 'owner'),
      statusOf(service, 'entity=template/tpl', 'owner'),
      statusOf(service, 'entity=server', 'owner'),
      statusOf(service, MINE, 'viewer'),
      statusOf(service, 'entity=template/tpl', 'templater'),
    ])

    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 403, 200])
  })

  it('hears nothing of the revision that takes the entity away', async () => {
    const service = await open()
    const [known] = await entries(service, `/api/config/watch?${MINE}`)
    const query = `since=${known?.commitSHA}&${MINE}`
    const held = statusOf(service, query, 'owner')
    const events = await openEvents(service, MINE, {}, OWNER)

    await saveAs(
      service,
      OWN_CHANGE.replace(/(group="mine">[^]*?<user>)owner/, '$1root'),
      'no longer yours',
    )

    expect(await held).toBe(403)
    expect(await events.next()).toBeNull()
  })

  it('reads a stream of its revisions, and hears of no others', async () => {
    const service = await open()
    const events = await openEvents(service, MINE, {}, OWNER)

    await saveAs(service, HIDDEN_CHANGE, 'elsewhere')
    await saveAs(service, OWN_CHANGE, 'here')
    await saveAs(service, change('m2', OWN_CHANGE), 'here again')

    const heard = [await events.next(), await events.next()]
    events.close()
    expect(heard).toMatchObject([
      { data: { message: 'here' } },
      { data: { message: 'here again' } },
    ])
  })

  it('hears in a stream that the history is rewritten by the newest revision of its own', async () => {
    const service = await open()
    await saveAs(service, OWN_CHANGE, 'here')
    await saveAs(service, change('h2', OWN_CHANGE), 'elsewhere')
    const events = await openEvents(service, MINE, {}, OWNER)
    await saveAs(service, change('m2', change('h2', OWN_CHANGE)), 'taken back')
    expect(await events.next()).toMatchObject({ data: { message: 'taken back' } })

    git(service.repository, 'reset', '--quiet', '--hard', 'HEAD~1')

    expect(await events.next()).toMatchObject({ event: 'rewritten', data: { message: 'here' } })
    events.close()
  })
})
