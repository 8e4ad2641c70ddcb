import { describe, expect, it } from 'vitest'
import { editRules } from '../../../../../src/configuration/gate/rules/edit-rules.ts'

const TEXT = `# Who may change what
version: 1   # one

rules:
  # The first rule
  - name: pay     # called so
    match: { entity: ["pipeline/x",   'group/y'] }   # odd   layout

    need:
      - { approvals: 1, of: "admins of the group" } # one
    message: >
      folded
      text
  - name: freeze
    match:
        entity: pipeline/z
    effect: deny

# What they do
examples:
  - { name: an example,   change: { entity: pipeline/x }, expect: { needs: pay } }
`
const PAY = {
  name: 'pay',
  match: { entity: ['pipeline/x', 'group/y'] },
  need: [{ approvals: 1, of: 'admins of the group' }],
  message: 'folded text\n',
}
const [HEAD, REST = ''] = TEXT.split(/(?=  # The first rule\n)/)
const [FIRST, SECOND] = REST.split(/(?=  - name: freeze\n)|(?=\n# What)/)

describe('an edit of one rule in a text', () => {
  it('changes the values that are others, and leaves comments and layout', () => {
    const rule = { ...PAY, name: 'pays', match: { ...PAY.match, change: 'added' } }
    const edited = editRules(TEXT, { kind: 'replace', name: 'pay', rule })

    expect(edited).toBe(
      TEXT.replace('pay     # called', 'pays # called')
        .replace(
          `{ entity: ["pipeline/x",   'group/y'] }   # odd   layout`,
          '{ entity: [ pipeline/x, group/y ], change: added }',
        )
        .replace('folded\n      text', 'folded text'),
    )
  })

  it('leaves a rule with the same values as it is, whether one stands alone or in a list', () => {
    const rule = { name: 'freeze', match: { entity: ['pipeline/z'] }, effect: 'deny' }
    expect(editRules(TEXT, { kind: 'replace', name: 'freeze', rule })).toBe(TEXT)
    expect(editRules(TEXT, { kind: 'replace', name: 'pay', rule: PAY })).toBe(TEXT)
  })

  it('takes a key away, and adds others', () => {
    const rule = { name: 'freeze', except: ['role/a', 'user/b'], effect: 'warn' }
    expect(editRules(TEXT, { kind: 'replace', name: 'freeze', rule })).toBe(
      TEXT.replace(
        '    match:\n        entity: pipeline/z\n    effect: deny\n',
        '    effect: warn\n    except: [ role/a, user/b ]\n',
      ),
    )
  })

  it('removes a rule with the comment above it, and the last one', () => {
    const removed = editRules(TEXT, { kind: 'remove', name: 'pay' })
    expect(removed).toBe(TEXT.replace(FIRST ?? '', ''))
    const none = editRules(removed ?? '', { kind: 'remove', name: 'freeze' })
    expect(none).toContain('\nrules: []\n\n# What they do\n')
  })

  it('moves a rule with its comment', () => {
    const moved = [HEAD, SECOND, FIRST].join('')
    expect(editRules(TEXT, { kind: 'lower', name: 'pay' })?.startsWith(moved)).toBe(true)
    expect(editRules(TEXT, { kind: 'raise', name: 'freeze' })?.startsWith(moved)).toBe(true)
    expect(editRules(TEXT, { kind: 'raise', name: 'pay' })).toBe(TEXT)
    expect(editRules(TEXT, { kind: 'lower', name: 'freeze' })).toBe(TEXT)
  })

  it.each([
    ['', 'version: 1\nrules:\n'],
    ['version: 1\nrules: [] # none\n', 'version: 1\nrules: # none\n'],
    [
      'version: 1\nrules:\n  - name: a\n    effect: warn',
      'version: 1\nrules:\n  - name: a\n    effect: warn\n',
    ],
  ])('adds a rule behind the others: %j', (text, before) => {
    const rule = { name: 'new', need: [{ reason: 'required' }, { approvals: 2, of: 'admins' }] }
    expect(editRules(text, { kind: 'add', rule })).toBe(
      `${before}  - name: new\n    need: [ { reason: required }, { approvals: 2, of: admins } ]\n`,
    )
  })

  it('is not made where there is no such rule, or the text has another form', () => {
    expect(editRules(TEXT, { kind: 'remove', name: 'absent' })).toBe(null)
    expect(editRules('rules: [{ name: a }]', { kind: 'remove', name: 'a' })).toBe(null)
    expect(editRules('rules: [', { kind: 'remove', name: 'a' })).toBe(null)
  })
})
