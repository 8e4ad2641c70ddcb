import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

function pipeline(name: string, url = name, task = 'make'): string {
  return `    <pipeline name="${name}">
      <materials>
        <git url="https://example.org/${url}.git" />
      </materials>
      <stage name="build">
        <jobs>
          <job name="unit">
            <tasks>
              <exec command="${task}" />
            </tasks>
          </job>
        </jobs>
      </stage>
    </pipeline>
`
}

function documentOf(groups: Readonly<Record<string, readonly string[]>>): string {
  const texts = Object.entries(groups).map(
    ([name, pipelines]) => `  <pipelines group="${name}">\n${pipelines.join('')}  </pipelines>\n`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>\n<cruise schemaVersion="75">\n${texts.join('')}</cruise>\n`
}

interface UndoneChange {
  readonly what: string
  readonly entity: string
  readonly before: string
  readonly after: string
  /** The document that somebody saved later; absent where nobody did. */
  readonly later?: string
  readonly expected: string
}

const [A, B, C] = ['a', 'b', 'c'].map((name) => pipeline(name))
const AB = { first: [A ?? '', B ?? ''], second: [C ?? ''] }

const CASES: readonly UndoneChange[] = [
  {
    what: 'a changed pipeline, and not its neighbour',
    entity: 'pipeline/a',
    before: documentOf(AB),
    after: documentOf({ ...AB, first: [pipeline('a', 'x'), pipeline('b', 'y')] }),
    expected: documentOf({ ...AB, first: [A ?? '', pipeline('b', 'y')] }),
  },
  {
    what: 'a changed pipeline, with what others changed of it later',
    entity: 'pipeline/a',
    before: documentOf(AB),
    after: documentOf({ ...AB, first: [pipeline('a', 'x'), pipeline('b', 'y')] }),
    later: documentOf({ ...AB, first: [pipeline('a', 'x', 'ls'), pipeline('b', 'z')] }),
    expected: documentOf({ ...AB, first: [pipeline('a', 'a', 'ls'), pipeline('b', 'z')] }),
  },
  {
    what: 'a new pipeline',
    entity: 'pipeline/b',
    before: documentOf({ ...AB, first: [A ?? ''] }),
    after: documentOf({ ...AB, first: [pipeline('a', 'x'), B ?? ''] }),
    expected: documentOf({ ...AB, first: [pipeline('a', 'x')] }),
  },
  {
    what: 'a removed pipeline',
    entity: 'pipeline/b',
    before: documentOf(AB),
    after: documentOf({ ...AB, first: [pipeline('a', 'x')] }),
    expected: documentOf({ ...AB, first: [pipeline('a', 'x'), B ?? ''] }),
  },
  {
    what: 'a moved pipeline',
    entity: 'pipeline/b',
    before: documentOf(AB),
    after: documentOf({ first: [pipeline('a', 'x')], second: [C ?? '', B ?? ''] }),
    expected: documentOf({ ...AB, first: [pipeline('a', 'x'), B ?? ''] }),
  },
  {
    what: 'a renamed pipeline, while its neighbour keeps its new name',
    entity: 'pipeline/aa',
    before: documentOf(AB),
    after: documentOf({ ...AB, first: [pipeline('aa', 'a'), pipeline('bb', 'b')] }),
    expected: documentOf({ ...AB, first: [A ?? '', pipeline('bb', 'b')] }),
  },
  {
    what: 'a group with its pipelines',
    entity: 'group/first',
    before: documentOf(AB),
    after: documentOf({
      first: [pipeline('a', 'x'), pipeline('b', 'y')],
      second: [pipeline('c', 'z')],
    }),
    expected: documentOf({ ...AB, second: [pipeline('c', 'z')] }),
  },
]

async function changed({
  before,
  after,
  later,
}: Pick<UndoneChange, 'before' | 'after' | 'later'>): Promise<CalledService> {
  const service = await openService()
  for (const document of [before, after, ...(later === undefined ? [] : [later])]) {
    expect((await save(service, document)).status).toBe(200)
  }
  return service
}

/** The revision that a case is about. */
const CHANGE = 'r3'

async function current(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

function md5(document: string): string {
  return createHash('md5').update(document).digest('hex')
}

describe('undoing what a revision changed of one entity', () => {
  it.each(CASES)('takes back $what', async (each) => {
    const service = await changed(each)
    const [kind = '', name = ''] = each.entity.split('/')
    const path = `/config/entity/${kind}/${name}/undo/${CHANGE}`
    const step = await service.fetch(`/config/entity/${kind}/${name}/compare/r2/${CHANGE}`)
    const page = await (await service.fetch(path)).text()
    const fields = { basedOn: md5(each.later ?? each.after), reason: 'It was better' }
    const undone = await service.fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
    const [newest] = JSON.parse(await (await service.fetch('/api/config/revisions?limit=1')).text())

    expect(await step.text()).toContain(`href="${path}"`)
    expect(page).toContain(`Undo ${CHANGE} in ${kind} ${name}`)
    expect(undone.status).toBe(303)
    expect(await current(service)).toBe(each.expected)
    expect(newest).toMatchObject({ subject: expect.stringContaining(`Undo ${kind} ${name} of r3`) })
  })

  it('is a call too, and refuses what was changed again', async () => {
    const service = await changed({
      before: documentOf(AB),
      after: documentOf({ ...AB, first: [pipeline('a', 'x'), pipeline('b', 'y')] }),
      later: documentOf({ ...AB, first: [pipeline('a', 'again'), pipeline('b', 'y')] }),
    })
    const call = (query: string) =>
      service.fetch(`/api/config/revisions/${CHANGE}/undo?${query}`, { method: 'POST' })
    const contested = await call('entity=pipeline/a')
    const unknown = await call('entity=pipelin/a')
    const undone = await call('entity=pipeline/b')

    expect([contested.status, unknown.status, undone.status]).toEqual([412, 400, 200])
    expect(await current(service)).toBe(
      documentOf({ ...AB, first: [pipeline('a', 'again'), B ?? ''] }),
    )
  })
})
