import { describe, expect, it } from 'vitest'
import { securityFactsOf } from '../../../../src/configuration/access/security-facts-of.ts'
import { shownProblems } from '../../../../src/configuration/gate/told-to-callers.ts'
import { readDocument } from '../../../../src/document/document.ts'
import { AccessRules } from '../../../../src/security/permissions.ts'
import { DELEGATED } from '../../../support/service/delegated-changes.ts'

function shownToOwner(problems: Parameters<typeof shownProblems>[0]): string[] {
  const reading = readDocument(Buffer.from(DELEGATED))
  if (!reading.ok) throw new Error('The document is not valid')
  const { document } = reading
  const { configuration } = document
  const rights = new AccessRules(securityFactsOf(configuration)).permissionsOf({
    username: 'owner',
  })
  return shownProblems(problems, { document, configuration, rights }).map(({ message }) => message)
}

function lineOf(text: string): number {
  return DELEGATED.slice(0, DELEGATED.indexOf(text)).split('\n').length
}

const OWN = { line: lineOf('m2.git'), column: 9 }
const HIDDEN = { line: lineOf('h1.git'), column: 9 }
const LEFT = 'The change breaks what others administer: one problem there'

describe('the problems of a change by the administrator of a group', () => {
  it.each([
    ['in its own part', { message: 'the url is wrong', ...OWN }, ['the url is wrong']],
    ['in the part of others', { message: 'the url is wrong', ...HIDDEN }, [LEFT]],
    ['without a place', { message: 'h1 is wrong' }, [LEFT]],
    [
      'that name what is hidden',
      { message: 'm2, "H1" and m2 wait for each other.', ...OWN },
      [LEFT],
    ],
    ['that end with what is hidden', { message: 'it is as in h1.', ...OWN }, [LEFT]],
    ['that name what may be viewed', { message: 'there is no s1', ...OWN }, ['there is no s1']],
    ['that name what its own part names', { message: 'no t-seen', ...OWN }, ['no t-seen']],
  ])('%s', (_what, problem, told) => {
    expect(shownToOwner([problem])).toEqual(told)
  })
})
