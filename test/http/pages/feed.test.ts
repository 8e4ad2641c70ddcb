import { describe, expect, it } from 'vitest'
import { readXml } from '../../../src/document/xml/xml-reader.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { git } from '../../support/git/git.ts'
import { pageOf } from '../../support/pages/page-forms.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

const ATOM = 'application/atom+xml'
/** RFC 3339, as RFC 4287 wants it. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((each) =>
    each.kind === 'element' && each.name === name ? [each] : [],
  )
}

function textOf(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((each) => (each.kind === 'text' ? each.text : '')).join('')
}

function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  return attributes.get(name)?.value
}

/** Violations of RFC 4287 in a feed, section by section. */
function faultsOf(xml: string): string[] {
  const read = runSync(readXml(Buffer.from(xml)))
  if (!read.ok) return ['it is not well-formed']
  const feed = read.root
  const entries = childrenOf(feed, 'entry')
  const faults: string[] = []
  const need = (holds: boolean, rule: string) => {
    if (!holds) faults.push(rule)
  }
  need(
    feed.name === 'feed' && attributeOf(feed, 'xmlns') === 'http://www.w3.org/2005/Atom',
    '4.1.1',
  )
  for (const part of [feed, ...entries]) {
    for (const name of ['id', 'title', 'updated']) {
      need(childrenOf(part, name).length === 1, `${part.name} has exactly one ${name}`)
    }
    const [id] = childrenOf(part, 'id')
    need(URL.canParse(textOf(id)), `the id of ${part.name} is an IRI`)
    need(DATE.test(textOf(childrenOf(part, 'updated')[0])), `${part.name} has a date of RFC 3339`)
    const links = childrenOf(part, 'link')
    need(
      links.every((link) => URL.canParse(attributeOf(link, 'href') ?? '')),
      'links have IRIs',
    )
    const kinds = links.map((link) => attributeOf(link, 'rel') ?? 'alternate')
    need(new Set(kinds).size === kinds.length, `${part.name} has one link of a kind and type`)
    need(kinds.includes('alternate'), `${part.name} has an alternate link, as it has no content`)
    const people = childrenOf(part, 'author')
    need(people.length > 0, `${part.name} has an author`)
    need(
      people.every((one) => textOf(childrenOf(one, 'name')[0]) !== ''),
      'authors have names',
    )
  }
  const ids = entries.map((entry) => textOf(childrenOf(entry, 'id')[0]))
  need(new Set(ids).size === ids.length, 'entries have ids of their own')
  return faults
}

describe('the feed of the history', () => {
  it.each(['', '?user=nobody', '?q=shop&kind=git', '?entity=pipeline%2Fshop'])(
    'is valid by RFC 4287, and names itself: %s',
    async (query) => {
      const service = await startService()
      await save(service, documentWith('shop'))
      const odd = ['-c', 'user.name=Ana\uffff & <b>', '-c', 'user.email=ana@example.org']
      git(
        service.repository,
        ...odd,
        'commit',
        '--quiet',
        '--allow-empty',
        '-m',
        'A & B \u0007\ufffe <i>',
      )
      await expect.poll(() => pageOf(service, '/config')).toContain('A &amp; B')

      const response = await service.fetch(`/config/feed.atom${query}`)

      const xml = await response.text()
      expect(response.headers.get('content-type')).toContain(ATOM)
      expect(faultsOf(xml)).toEqual([])
      const self = `${service.url}/config/feed.atom${query}`.replaceAll('&', '&amp;')
      expect(xml).toContain(`<link rel="self" type="${ATOM}" href="${self}"/>`)
    },
  )

  it('would be found not valid', () => {
    expect(faultsOf('<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>')).toContain(
      'feed has exactly one id',
    )
  })
})

describe('the pages of the history', () => {
  it('describe themselves for previews of links', async () => {
    const service = await startService()
    await save(service, documentWith('shop'))

    const compared = await pageOf(service, '/config/compare/r1/r2')
    const history = await pageOf(service, '/config')

    expect(compared).toMatch(/<meta property="og:title" content="r1 → r2, \d+ \w+ \d{4}"/)
    expect(compared).toMatch(/<meta property="og:description" content="[^"]*shop[^"]* by admin"/)
    expect(history).toMatch(/<meta property="og:description" content="2 revisions since [^"]+"/)
    expect(history).toContain(`<link rel="alternate" type="${ATOM}"`)
  })
})
