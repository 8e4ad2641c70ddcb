// @module-tag long
import { describe, expect, it } from 'vitest'
import { element, git } from '../../support/documents/a-configuration.ts'
import {
  gives,
  guardedPaths,
  isOpen,
  send,
  type SpelledRequest,
  spellingsOf,
} from '../../support/http/anonymous-calls.ts'
import { BuildScene, GUARDED, SECURED } from '../../support/builds/build-service.ts'
import { DescribedApi } from '../../support/service/described-api.ts'
import { statusOf } from '../../support/http/raw-http.ts'

const SHUT = 'shut-word'

/** A service whose pipeline `shut` only admin may view; its document has a word of its own. */
function guardedScene(): Promise<BuildScene> {
  const admin = element('authorization', {}, [
    element('view', {}, [element('user', {}, ['admin'])]),
  ])
  const materials = [git(`https://${SHUT}.invalid/repo.git`)]
  return BuildScene.open({
    server: SECURED,
    groups: [
      { group: 'open', authorization: GUARDED, pipelines: [{ name: 'app' }] },
      { group: 'closed', authorization: admin, pipelines: [{ name: 'shut', materials }] },
    ],
  })
}

async function answersTo(
  { service }: BuildScene,
  requests: readonly SpelledRequest[],
): Promise<{ request: SpelledRequest; answer: string }[]> {
  const answers = []
  for (const request of requests)
    answers.push({ request, answer: await send(service.url, request) })
  return answers
}

describe('the spelling of a request', { timeout: 120_000 }, () => {
  it('opens nothing to callers without credentials', async () => {
    const scene = await guardedScene()
    const { operations } = await DescribedApi.read(scene.service)
    const paths = [...new Set(guardedPaths(operations, 'app'))]
    const open = new Set(
      operations.filter(({ security }) => security.length === 0).map(({ path }) => path),
    )
    const requests = paths.flatMap(spellingsOf).filter((request) => !isOpen(request, open))

    const answers = await answersTo(scene, requests)

    expect(paths.length).toBeGreaterThan(30)
    expect(requests.length).toBeGreaterThan(1_500)
    const given = answers.filter(({ answer }) => gives(answer) || answer.includes(SHUT))
    expect(given.map(({ request, answer }) => [request, answer.slice(0, 200)])).toEqual([])
  })

  it('shows a viewer nothing of a pipeline that is shut', async () => {
    const scene = await guardedScene()
    const { operations } = await DescribedApi.read(scene.service)
    const vera = `Authorization: Basic ${Buffer.from('vera:vera').toString('base64')}`
    const requests = [...new Set(guardedPaths(operations, 'shut'))]
      .flatMap(spellingsOf)
      .filter(({ headers }) => !headers.some((line) => line.startsWith('Authorization')))
      .map(({ target, headers }) => ({ target, headers: [vera, ...headers] }))

    const answers = await answersTo(scene, requests)

    const own = await send(scene.service.url, { target: '/api/pipelines', headers: [vera] })
    expect(own).toContain('"app"')
    const shown = answers.filter(({ answer }) => answer.includes(SHUT) || statusOf(answer) >= 500)
    expect(shown.map(({ request, answer }) => [request, answer.slice(0, 200)])).toEqual([])
  })
})
