import { describe, expect, it } from 'vitest'
import { ChangesAnswer } from '../../src/wire/changes.ts'
import { DELEGATED } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { movedPipeline, pipelineLines } from '../support/service/moved-pipeline.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { BlameBody, RevisionChangesBody } from '../../src/wire/revision-bodies.ts'

const ROOT = loginOf('root')

/** A history of four groups: what each revision did is its message. */
const STEPS: readonly (readonly [message: string, next: (document: string) => string])[] = [
  ['change s1', (document) => document.replace('s1.git', 's1-else.git')],
  ['rename s1', (document) => document.replace('name="s1"', 'name="s9"')],
  ['change o2', (document) => document.replace('o2.git', 'o2-else.git')],
  ['move s9 from shown to mine', (document) => movedPipeline('s9', 'm1', document)],
  ['change s9', (document) => document.replace('s1-else.git', 's9.git')],
  ['remove o2', (document) => document.replace(pipelineLines('o2', document), '')],
  ['change h1', (document) => document.replace('h1.git', 'h1-else.git')],
  [
    'rights of ours',
    (document) =>
      document.replace(/(group="ours">[^]*?<user>owner<\/user>)/, '$1\n        <user>root</user>'),
  ],
]

async function scene(): Promise<CalledService> {
  const service = await delegate(await openService())
  let document = DELEGATED
  for (const [message, next] of STEPS) {
    document = next(document)
    const headers = { 'if-match': '*', 'x-cairn-message': encodeURIComponent(message) }
    const init = { method: 'PUT', headers, body: document, as: ROOT }
    expect([message, (await service.fetch('/api/admin/config.xml', init)).status]).toEqual([
      message,
      200,
    ])
  }
  return service
}

async function messages(service: CalledService, query: string, as = ROOT): Promise<unknown> {
  const answer = await service.fetch(`/api/config/revisions?${query}`, { as })
  if (answer.status !== 200) return answer.status
  const list: readonly { readonly message: string }[] = JSON.parse(await answer.text())
  return list.map(({ message }) => message).filter((message) => message !== '')
}

describe('a group as a scope', () => {
  it('is the group, its pipelines and what they took along, and what left it until then', async () => {
    const service = await scene()

    expect(await messages(service, 'entity=group/mine')).toEqual([
      'change s9',
      'move s9 from shown to mine',
      'rename s1',
      'change s1',
    ])
    expect(await messages(service, 'entity=group/shown')).toEqual([
      'move s9 from shown to mine',
      'rename s1',
      'change s1',
    ])
    expect(await messages(service, 'entity=group/ours')).toEqual([
      'rights of ours',
      'remove o2',
      'change o2',
    ])
    expect(await messages(service, 'entity=group/ours&q=o2')).toEqual(['remove o2', 'change o2'])
    expect(await messages(service, 'entity=group/ours&text=o2-else')).toEqual([
      'remove o2',
      'change o2',
    ])
  })

  it('is so on the history page, in the feed and for those who wait', async () => {
    const service = await scene()
    const [{ commitSHA: since }] = JSON.parse(
      await (await service.fetch('/api/config/revisions?offset=4&limit=1', { as: ROOT })).text(),
    )
    const read = async (path: string) => (await service.fetch(path, { as: ROOT })).text()

    const page = await read('/config?entity=group%2Fours')
    const feed = await read('/config/feed.atom?entity=group%2Fours')
    const waited = JSON.parse(
      await read(`/api/config/watch?since=${since}&wait=0&entity=group/ours`),
    )

    // The eighth revision removed o2, and the seventh changed s9.
    for (const text of [page, feed]) {
      expect(text).toContain('/r7/r8')
      expect(text).not.toContain('/r6/r7')
    }
    expect(waited.map(({ message }: { message: string }) => message)).toEqual([
      'rights of ours',
      'remove o2',
    ])
  })

  it('is searched for a text, and its lines have their authors', async () => {
    const service = await scene()

    const found = await messages(service, 'entity=group/mine&text=s1-else.git')
    const elsewhere = await messages(service, 'entity=group/ours&text=s1-else.git')
    const blame = await service.fetch('/api/config/blame/current?entity=group/mine', { as: ROOT })
    const { parts } = BlameBody.parse(await blame.json())

    expect(found).toEqual(['change s9', 'change s1'])
    expect(elsewhere).toEqual([])
    const lines = parts.flatMap((part) =>
      part.lines.map((line) => ({ line: line.trim(), number: part.revision.number })),
    )
    expect(lines[0]?.line).toBe('<pipelines group="mine">')
    expect(lines.at(-1)?.line).toBe('</pipelines>')
    const last = await service.fetch('/api/config/changes/current', { as: ROOT })
    const { revision } = RevisionChangesBody.parse(await last.json())
    expect(lines.filter(({ line }) => line.includes('s9.git'))).toEqual([
      { line: expect.stringContaining('s9.git'), number: (revision.number ?? 0) - 3 },
    ])
  })

  it('is asked together with the kind of a change, and of an entity', async () => {
    const service = await scene()

    expect(await messages(service, 'changed=renamed')).toEqual(['rename s1'])
    expect(await messages(service, 'changed=removed&kind=pipeline')).toEqual(['remove o2'])
    expect(await messages(service, 'changed=removed&kind=template')).toEqual([])
    expect(await messages(service, 'kind=group')).toEqual(['rights of ours'])
    expect(await messages(service, 'changed=changed&entity=group/ours')).toEqual([
      'rights of ours',
      'change o2',
    ])
    expect(await messages(service, 'changed=else')).toBe(400)
    expect(await messages(service, 'kind=else')).toBe(400)
    expect(await messages(service, 'changed=renamed&entity=group/mine', loginOf('owner'))).toBe(403)
  })

  it('shows its administrator the history of its own, without that in groups of others', async () => {
    const service = await scene()
    const as = loginOf('owner')

    expect(await messages(service, 'entity=pipeline/s9', as)).toEqual(['change s9'])
    expect(await messages(service, 'entity=group/mine', as)).toEqual([
      'change s9',
      'move s9 from shown to mine',
    ])
    expect(await messages(service, 'entity=group/ours', as)).toEqual([
      'rights of ours',
      'remove o2',
      'change o2',
    ])
  })

  it('describes the changes of its own, whatever became of pipelines in groups of others', async () => {
    const service = await delegate(await openService())
    const away = movedPipeline('m1', 'h1', DELEGATED).replace(
      'example.org/m1.git',
      'example.org/kept.git',
    )
    const renamed = away.replace('name="s1"', 'name="s9"').replace('s1.git', 's9.git')
    for (const document of [DELEGATED, away, movedPipeline('s9', 'm2', renamed)]) {
      const init = { method: 'PUT', headers: { 'if-match': '*' }, body: document, as: ROOT }
      expect((await service.fetch('/api/admin/config.xml', init)).status).toBe(200)
    }
    const told = async (range: string, as: string) => {
      const path = `/api/config/changes/${range}?entity=group/mine`
      const answer = await service.fetch(path, { as })
      const { changes } = ChangesAnswer.parse(await answer.json())
      return changes.map(({ text, label }) => `${label}: ${text}`)
    }

    const all = (await told('r2/r4', ROOT)).join('; ')
    for (const part of ['m1: ', 'kept.git', 's9: ', 's9.git']) expect(all).toContain(part)
    const owner = loginOf('owner')
    expect(await told('r2/r3', owner)).toEqual(['m1: remove pipeline m1 (15 lines)'])
    expect(await told('r3/r4', owner)).toEqual(['s9: add pipeline s9 (16 lines)'])
  })

  it('is closed to its administrator with other questions, and the rest of the history as ever', async () => {
    const service = await delegate(await openService())
    const as = loginOf('owner')

    const statuses = [
      await messages(service, '', as),
      await messages(service, 'entity=pipeline/h1', as),
      await messages(service, 'entity=group/shown', as),
      await messages(service, 'entity=group/mine&q=h1', as),
      await messages(service, 'entity=group/mine&text=h1', as),
      await messages(service, 'entity=group/mine', loginOf('viewer')),
    ]

    expect(statuses).toEqual([403, 403, 403, 403, 403, 403])
  })
})
