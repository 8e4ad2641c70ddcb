import { describe, expect, it } from 'vitest'
import { mergeMembers } from '../../../../src/document/merge/merge-members.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'

function merged(base: string, ours: string, theirs: string): readonly (string | null)[] {
  const merge = (one: string, other: string) =>
    runSync(
      mergeMembers({ base: Buffer.from(base), ours: Buffer.from(one), theirs: Buffer.from(other) }),
    )
  return [merge(ours, theirs), merge(theirs, ours)]
}

const both = (text: string | null) => [text, text]

const BASE = `<cruise>
  <pipelines group="first">
    <pipeline name="a"><timer>1</timer></pipeline>
    <pipeline name="b"><timer>1</timer></pipeline>
  </pipelines>
  <pipelines group="second">
    <pipeline name="c" />
  </pipelines>
  <agents>
    <agent uuid="u1" hostname="x" />
  </agents>
</cruise>
`
const A = '<pipeline name="a"><timer>1</timer></pipeline>'
const OTHER_A = A.replace('1', '2')
const ours = BASE.replace(A, OTHER_A)

describe('members that are put in their place', () => {
  it('are those that one edit has changed inside, whatever the other has done around them', () => {
    const theirs = BASE.replace(
      '    <pipeline name="b">',
      '    <!-- new -->\n    <pipeline name="d" />\n$&',
    )
      .replace('hostname="x"', 'hostname="y"')
      .replace('<cruise>', '<cruise>\n  <server />')

    expect(merged(BASE, ours, theirs)).toEqual(both(theirs.replace(A, OTHER_A)))
  })

  it('are none where both have changed one, in its text, name, place or number', () => {
    const line = `    ${A}\n`
    const moved = BASE.replace(line, '').replace('    <pipeline name="c" />\n', `$&${line}`)
    for (const theirs of [
      BASE.replace(A, A.replace('1', '3')),
      BASE.replace(line, ''),
      BASE.replace(line, line + line),
      BASE.replace('name="a"', 'name="z"'),
      moved,
      BASE.replace('group="first"', 'group="other"'),
    ]) {
      expect(merged(BASE, ours, theirs)).toEqual(both(null))
    }
  })

  it('are none where an edit renames one, or changes what is around them beside the other', () => {
    const around = BASE.replace('<cruise>', '<cruise>\n  <server />')
    const aside = BASE.replace('</cruise>', '  <!-- end -->\n</cruise>').replace(A, OTHER_A)

    expect(merged(BASE, BASE.replace('name="a"', 'name="z"'), around)).toEqual(both(null))
    expect(merged(BASE, around, aside)).toEqual(both(null))
  })

  it('are none where the other edit has given something another name', () => {
    const roles = BASE.replace('<cruise>', '<cruise>\n  <role name="r" />')
    const edit = roles.replace(A, OTHER_A)
    const [renamed, gone] = [
      roles.replace('<role name="r"', '<role name="s"'),
      roles.replace('    <pipeline name="c" />\n', ''),
    ]

    expect(merged(roles, edit, renamed)).toEqual(both(null))
    expect(merged(roles, edit, gone)).toEqual(both(null))
  })

  it('are none in texts whose tags do not fit', () => {
    expect(merged(BASE, ours, BASE.replace('</cruise>', ''))).toEqual(both(null))
    expect(merged(BASE.replace('</cruise>', '<!--'), ours, ours)).toEqual(both(null))
  })
})
