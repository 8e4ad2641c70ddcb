import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { BuildScene, SECURED } from '../support/builds/build-service.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git, gitLine } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { openEvents } from '../support/service/event-reader.ts'

const WATCH = '/api/config/watch'
const POLL = ['--poll-interval', '50ms']

async function watch(service: Pick<TestService, 'fetch'>, query: string, init: RequestInit = {}) {
  const response = await service.fetch(`${WATCH}?${query}`, init)
  return z.array(RevisionEntry).parse(await response.json())
}

async function newest(service: Pick<TestService, 'fetch'>): Promise<string> {
  const [entry] = await watch(service, '')
  return entry?.commitSHA ?? ''
}

async function saveAll(service: TestService, ...names: readonly string[]): Promise<string[]> {
  const commits: string[] = []
  for (const name of names) {
    expect((await save(service, documentWith(name))).status).toBe(200)
    commits.push(gitLine(service.repository, 'rev-parse', 'HEAD'))
  }
  return commits
}

function commitsOf(entries: readonly RevisionEntry[]): string[] {
  return entries.map(({ commitSHA }) => commitSHA)
}

describe('GET /api/config/watch', () => {
  it('answers at once with the newest revision to who names none', async () => {
    const service = await startService()
    const [commit] = await saveAll(service, 'a')

    expect(commitsOf(await watch(service, ''))).toEqual([commit])
  })

  it('answers at once with all that are newer, newest first', async () => {
    const service = await startService()
    const first = await newest(service)
    const commits = await saveAll(service, 'a', 'b')

    expect(commitsOf(await watch(service, `since=${first}`))).toEqual(commits.toReversed())
  })

  it('says nothing of the revision that takes the permission of a caller who waits', async () => {
    const scene = await BuildScene.open()
    const since = await newest(scene.service)
    const url = `${WATCH}?since=${since}`
    const held = scene.get(url, 'vera')
    const other = scene.service.fetch(url)
    // Every user is let in before the configuration lists administrators.
    expect((await scene.get(`${url}&wait=0`, 'vera')).status).toBe(200)

    await scene.configure({ server: SECURED })

    expect((await held).status).toBe(403)
    expect((await other).status).toBe(200)
  })

  it('holds until there is a newer one', async () => {
    const service = await startService()
    const since = await newest(service)
    const held = watch(service, `since=${since}`)

    const [commit] = await saveAll(service, 'a')

    expect(commitsOf(await held)).toEqual([commit])
  })

  it('answers with none when the time that was asked for has passed', async () => {
    const service = await startService()
    const since = await newest(service)

    expect(await watch(service, `since=${since}&wait=1`)).toEqual([])
    expect(await watch(service, `since=${since}&wait=0`)).toEqual([])
  })

  it('refuses what is no commit, an unknown one, and who may not see the revisions', async () => {
    const service = await startService()
    const statusOf = async (query: string, as?: string | null) =>
      (await service.fetch(`${WATCH}?${query}`, as === undefined ? {} : { as })).status

    expect(await statusOf('since=abc')).toBe(400)
    expect(await statusOf(`since=${'0'.repeat(40)}`)).toBe(404)
    expect(await statusOf('wait=soon')).toBe(400)
    expect(await statusOf('', null)).toBe(401)
  })

  it('says to a caller who waits upon a commit that was taken back that it is gone', async () => {
    const service = await startService(POLL)
    await saveAll(service, 'a')
    const since = await newest(service)
    const held = service.fetch(`${WATCH}?since=${since}`)

    git(service.repository, 'reset', '--quiet', '--hard', 'HEAD~1')

    expect((await held).status).toBe(404)
  })

  it('reports every revision that a merge brings, wherever it stands in the list', async () => {
    const service = await startService(POLL)
    const first = await newest(service)
    git(service.repository, 'checkout', '--quiet', '-b', 'side')
    const [side] = await saveAll(service, 'side')
    git(service.repository, 'checkout', '--quiet', '-')
    const [main] = await saveAll(service, 'main')
    const held = watch(service, `since=${main}`)

    git(service.repository, 'merge', '--quiet', '--strategy=ours', '-m', 'Both', 'side')

    const merge = gitLine(service.repository, 'rev-parse', 'HEAD')
    expect(commitsOf(await held)).toEqual([merge, side])
    expect(commitsOf(await watch(service, `since=${side}`))).toEqual([merge, main])
    expect(await watch(service, `since=${first}`)).toHaveLength(3)
  })

  it('ends at once when the service does', async () => {
    const service = await startService()
    const since = await newest(service)
    const [held, events] = [watch(service, `since=${since}`), await openEvents(service)]

    const began = performance.now()
    await service.close()

    expect(await held).toEqual([])
    expect(await events.next()).toBeNull()
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

describe('the stream of revisions', () => {
  const opened: { close(): void }[] = []
  afterEach(() => {
    for (const each of opened.splice(0)) each.close()
  })
  async function eventsOf(service: TestService, query = '', headers: Record<string, string> = {}) {
    const events = await openEvents(service, query, headers)
    opened.push(events)
    return events
  }

  it('reports every new revision, in order, as the list has it', async () => {
    const service = await startService()
    const events = await eventsOf(service)

    const [a, b] = await saveAll(service, 'a', 'b')

    const [entry] = await watch(service, '')
    expect(await events.next()).toMatchObject({ id: a, event: 'revision' })
    expect(await events.next()).toEqual({ id: b, event: 'revision', data: entry })
  })

  it('goes on after the last event that the reader had', async () => {
    const service = await startService()
    const [a, b] = await saveAll(service, 'a', 'b')
    const events = await eventsOf(service, '', { 'last-event-id': a ?? '' })
    const [c] = await saveAll(service, 'c')

    expect([await events.next(), await events.next()].map((event) => event?.id)).toEqual([b, c])
  })

  it('says to a reader whose commit was taken back that the history is rewritten', async () => {
    const service = await startService(POLL)
    const start = await newest(service)
    const [a] = await saveAll(service, 'a')
    const events = await eventsOf(service, `since=${start}`)
    expect(await events.next()).toMatchObject({ id: a })

    git(service.repository, 'reset', '--quiet', '--hard', 'HEAD~1')

    expect(await events.next()).toMatchObject({ id: start, event: 'rewritten' })
    const [b] = await saveAll(service, 'b')
    expect(await events.next()).toMatchObject({ id: b, event: 'revision' })
  })

  it('reaches 200 readers at once', async () => {
    const service = await startService()
    await newest(service)
    const readers = await Promise.all(Array.from({ length: 200 }, () => eventsOf(service)))

    const [a] = await saveAll(service, 'a')

    const events = await Promise.all(readers.map((reader) => reader.next()))
    expect(new Set(events.map((event) => event?.id))).toEqual(new Set([a]))
  })

  it('is needed by nobody who asks for its head alone', async () => {
    const service = await startService()
    const headers = { accept: 'text/event-stream' }

    const response = await service.fetch(WATCH, { method: 'HEAD', headers })

    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  })

  it('lets a service end whose reader does not read', async () => {
    const service = await startService()
    const { port } = new URL(service.url)
    const socket = connect(Number(port), '127.0.0.1')
    const login = Buffer.from('admin:correct horse').toString('base64')
    socket.write(
      `GET ${WATCH} HTTP/1.1\r\nhost: x\r\nauthorization: Basic ${login}\r\naccept: text/event-stream\r\n\r\n`,
    )
    await new Promise((resolve) => socket.once('readable', resolve))

    await service.close()

    socket.destroy()
    await expect(fetch(service.url)).rejects.toThrow(TypeError)
  })
})
