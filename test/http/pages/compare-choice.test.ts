import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { pageOf } from '../../support/pages/page-forms.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const DAY_MS = 86_400_000

/** r1 is of 1 June 2015, and each further one of a day later, at noon. */
async function ofThreeDays(): Promise<TestService> {
  const at = { time: Date.parse('2015-06-01T12:00:00Z') }
  const service = await startService([], undefined, { clock: () => at.time })
  for (const document of [documentWith('one'), documentWith('one', 'two')]) {
    at.time += DAY_MS
    await saveRevisions(service, document)
  }
  return service
}

describe('the revisions of a comparison', () => {
  it.each([
    ['by=dates&since=2015-06-02&until=2015-06-02', 'r1', 'r2'],
    ['by=dates&since=2015-06-03&until=2015-06-09', 'r2', 'r3'],
    ['by=dates&since=2014-01-01&until=2015-06-02', 'r1', 'r2'],
    ['by=dates&since=&until=', 'r1', 'current'],
    ['by=dates&since=2015-06-03&until=2015-06-09&a=r1&b=r1&q=x', 'r2', 'r3'],
    ['a=2&b=3', 'r2', 'r3'],
    ['a=r1&b=2015-06-02', 'r1', 'r2'],
    ['a=2015-06-03&b=current', 'r2', 'current'],
    ['a=2015-06-02T12:00&b=2015-06-02T12:00', 'r1', 'r2'],
  ])('are chosen by name or date: %s', async (query, from, to) => {
    const service = await ofThreeDays()

    const response = await service.fetch(`/config/compare?${query}`)

    expect(response.headers.get('location')).toBe(`/config/compare/${from}/${to}`)
  })

  it('are narrowed to the entity of the list, and by Enter in its filter are not compared', async () => {
    const service = await ofThreeDays()
    const listed = await pageOf(service, '/config?entity=group%2Ffirst')
    const [, filter = ''] = /<form class="filters"([^]*?)<\/form>/.exec(listed) ?? []
    const [first] = filter.match(/<button[^]*?<\/button>/) ?? []

    expect(listed).toMatch(/<form id="history"[^>]*><input[^>]*name="entity" value="group\/first"/)
    expect(first).toBe('<button>Filter</button>')
  })

  it('are narrowed to the entity of the list, by dates', async () => {
    const service = await ofThreeDays()

    const query = 'by=dates&since=2015-06-02&entity=group/first'
    const response = await service.fetch(`/config/compare?${query}`)

    const place = response.headers.get('location') ?? ''
    expect(place).toBe('/config/compare/r1/current?entity=group%2Ffirst')
    expect(await pageOf(service, place)).toContain('lines in')
  })

  it('are asked for on the page of a comparison and on the list, which keeps those that are chosen', async () => {
    const service = await ofThreeDays()

    const compared = await pageOf(service, '/config/compare/r1/r3')
    expect(compared).toMatch(/name="a" value="r1".*name="b" value="r3".*value="2015-06-03"/s)
    expect(compared).toContain('href="/config?a=r1&amp;b=r3"')
    const listed = await pageOf(service, '/config?a=r1&b=r2&offset=1')
    expect(listed).toMatch(/name="a" value="r1" checked/)
    expect(listed).toMatch(/name="b" value="r2" checked/)
    expect(await pageOf(service, '/config?a=r1&b=r2&user=nobody')).toContain('No revision matches')
  })
})

describe('the summary of a comparison', () => {
  it('says once what many have in common, and folds the rest', async () => {
    const names = Array.from({ length: 31 }, (_, n) => `p${n}`)
    const before = documentWith(...names)
    const after = before
      .replaceAll('command="make"', 'command="ninja"')
      .replace('p7.git', 'p7-new.git')
    const service = await startService()
    await saveRevisions(service, before, after, documentWith('only'))

    const common = await pageOf(service, '/config/compare/r2/r3')
    const removed = await pageOf(service, '/config/compare/r3/r4')
    const row = await pageOf(service, '/config')

    for (const html of [common, row]) {
      expect(html).toMatch(/<b>31 pipelines<\/b>/)
      expect(html.match(/<del>make<\/del>/g)).toHaveLength(1)
      expect(html).toContain('p7-new.git')
    }
    expect(common).toContain('Jump to diff')
    expect(removed).toContain('Show all 31')
  })
})

describe('the filter of the history', () => {
  it('says how many match and clears itself, with what there is to choose', async () => {
    const service = await ofThreeDays()
    const html = () => pageOf(service, '/config?entity=pipeline%2Ftwo&a=r1')
    await expect.poll(html).toContain('two (1)')

    const found = await html()

    expect(found).toContain('1 revision matches')
    expect(found).toMatch(/<a href="\/config\?a=r1">Clear/)
    expect(found).toMatch(/<optgroup label="Pipelines">.*one \(1\).*two \(1\)/s)
    expect(found).toMatch(/<option value="pipeline\/two" selected/)
    expect(found).toMatch(/admin \(2\)/)
    expect(await pageOf(service, '/config')).not.toContain('Clear')
  })
})
