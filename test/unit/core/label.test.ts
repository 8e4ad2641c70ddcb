import { describe, expect, it } from 'vitest'
import { renderLabel } from '../../../src/core/builds/label.ts'

const run = {
  counter: 7,
  revisions: new Map([
    ['Code', 'b7d3f0a1c2'],
    ['libs', '1045'],
  ]),
  variables: new Map([['RELEASE', '2.1']]),
}

describe('renderLabel', () => {
  it.each([
    ['${COUNT}', '7'],
    ['1.2.${COUNT}', '1.2.7'],
    ['${count}-${CODE}', '7-b7d3f0a1c2'],
    ['${COUNT}-${Code[:7]}-r${libs}', '7-b7d3f0a-r1045'],
    ['${libs[:99]}', '1045'],
    ['${other}-${COUNT}', '${other}-7'],
    ['$COUNT {COUNT} ${}', '$COUNT {COUNT} ${}'],
    ['$& $1 ${COUNT}', '$& $1 7'],
    ['${env:RELEASE}.${COUNT}', '2.1.7'],
    ['${ENV:RELEASE}', '2.1'],
    ['${env:release}-${env:OTHER}-${COUNT}', '--7'],
  ])('of %j is %j', (template, label) => {
    expect(renderLabel(template, run)).toBe(label)
  })

  it('does not read a revision as a template', () => {
    const revisions = new Map([['code', '${COUNT}']])

    expect(renderLabel('${code}', { ...run, revisions })).toBe('${COUNT}')
  })

  it('is never longer than 255 characters', () => {
    expect(renderLabel('x'.repeat(300), run)).toHaveLength(255)
  })
})
