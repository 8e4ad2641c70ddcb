import { describe, expect, it } from 'vitest'
import {
  type FoundMember,
  MemberFinder,
  memberText,
  readMember,
} from '../../../src/document/incremental/member-finder.ts'
import { ElementNumbers } from '../../../src/document/incremental/element-numbers.ts'
import { MemberElement } from '../../../src/document/incremental/member-element.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { aConfiguration } from '../../support/documents/a-configuration.ts'

const PIPELINES = 300
const DOCUMENT = aConfiguration({
  pipelines: Array.from({ length: PIPELINES }, (_, n) => ({ name: `p${n}` })),
  templates: [{ name: 't' }],
  agents: [{ uuid: 'u1' }, { uuid: 'u2' }],
})
const ALL = PIPELINES + 3

/** A finder that has read the document. */
function finderAfterDocument(): MemberFinder {
  const finder = new MemberFinder()
  const numbers = new ElementNumbers()
  const found = runSync(finder.find(DOCUMENT)) ?? []
  const members = found.map((place) => {
    const element = MemberElement.read(memberText(place, DOCUMENT), numbers)
    if (!element) throw new Error('it is no element')
    return readMember(place, element)
  })
  finder.remember(DOCUMENT, members)
  return finder
}

function pipeline(n: number): string {
  const [found = ''] = new RegExp(`<pipeline name="p${n}">[^]*?</pipeline>`).exec(DOCUMENT) ?? []
  return found
}

/** The places with the texts, and nothing else. */
function placesIn(text: string, found: readonly FoundMember[] | null): unknown {
  return found?.map((member) => {
    const { list, start, end } = member
    return { list, start, end, text: memberText(member, text) }
  })
}

function stepsOf(finding: Iterator<unknown, FoundMember[] | null>): number {
  let steps = 0
  while (!finding.next().done) steps += 1
  return steps
}

const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  nothing: (text) => text,
  'a member': (text) => text.replace('name="p150"', 'name="other"'),
  'the first member': (text) => text.replace('name="p0"', 'name="other"'),
  'the last member': (text) => text.replace('uuid="u2"', 'uuid="other"'),
  'two members far apart': (text) => text.replace(/name="p(3|290)"/g, 'name="q$1"'),
  'a new member': (text) => text.replace(pipeline(7), (old) => old + old.replace('p7', 'new')),
  'a member less': (text) => text.replace(pipeline(7), ''),
  'two members exchanged': (text) =>
    text
      .replace(pipeline(7), '<here/>')
      .replace(pipeline(9), () => pipeline(7))
      .replace('<here/>', () => pipeline(9)),
  'a comment around members': (text) =>
    text.replace(pipeline(7), '<!--').replace(pipeline(200), '-->'),
  'a section around members': (text) =>
    text.replace(pipeline(7), '<x><![CDATA[').replace(pipeline(200), ']]></x>'),
  'a list that ends before': (text) =>
    text.replace(pipeline(150), () => `</pipelines><pipelines group="g">${pipeline(150)}`),
  'a list of another name': (text) =>
    text.replace(pipeline(150), () => `</pipelines><templates>${pipeline(150)}`),
  'a list of no members': (text) =>
    text.replace(pipeline(150), () => `</pipelines><other>${pipeline(150)}`),
  'an element that stays open': (text) => text.replace('<pipeline name="p150">', '$&<open>'),
  'another text': () => aConfiguration({ pipelines: [{ name: 'alone' }] }),
}

describe('finding the members of a document after another', () => {
  it.each(Object.entries(CHANGES))('finds what there is with %s', (_, change) => {
    const text = change(DOCUMENT)

    const found = runSync(finderAfterDocument().find(text))

    const byItself = runSync(new MemberFinder().find(text))
    expect(placesIn(text, found)).toEqual(placesIn(text, byItself))
  })

  it('goes through what has changed, and little else', () => {
    const changed = DOCUMENT.replace('name="p150"', 'name="other"')

    expect(stepsOf(new MemberFinder().find(changed))).toBe(ALL)
    expect(stepsOf(finderAfterDocument().find(changed))).toBeLessThan(3)
  })
})
