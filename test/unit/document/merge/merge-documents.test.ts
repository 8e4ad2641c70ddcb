import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../../src/document/merge/merge-conflict.ts'
import { followRenames } from '../../../../src/document/merge/follow-renames.ts'
import { mergeEdits } from '../../../../src/configuration/save/merge-edits.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'
import { xmlDocument } from '../../../support/documents/xml-documents.ts'

function merged(base: string, ours: string, theirs: string, decided: readonly Decision[] = []) {
  const documents = {
    base: xmlDocument(base),
    ours: xmlDocument(ours),
    theirs: xmlDocument(theirs),
  }
  return runSync(mergeEdits(runSync(followRenames(documents)), { decided }))
}

/** The merge of two edits that do not contradict each other, the same from both sides. */
function cleanly(base: string, ours: string, theirs: string): string {
  const [one, other] = [merged(base, ours, theirs), merged(base, theirs, ours)]
  expect([...one.conflicts, ...other.conflicts]).toEqual([])
  expect(other.text).toBe(one.text)
  return one.text
}

function pipeline(name: string, ...tasks: readonly string[]): string {
  const lines = tasks.map((task) => `          <exec command="${task}" />`)
  return [
    `    <pipeline name="${name}">`,
    '      <stage name="s"><jobs><job name="j">',
    '        <tasks>',
    ...lines,
    '        </tasks>',
    '      </job></jobs></stage>',
    '    </pipeline>',
    '',
  ].join('\n')
}

function group(name: string, ...pipelines: readonly string[]): string {
  return `  <pipelines group="${name}">\n${pipelines.join('')}  </pipelines>\n`
}

function cruise(...parts: readonly string[]): string {
  return `<?xml version="1.0"?>\n<cruise schemaVersion="75">\n${parts.join('')}</cruise>\n`
}

/** A document whose only pipeline runs some tasks. */
function runs(...tasks: readonly string[]): string {
  return cruise(group('g', pipeline('a', ...tasks)))
}

function agents(...items: readonly string[]): string {
  return `  <agents>\n${items.join('')}  </agents>\n`
}

function agent(attributes: string): string {
  return `    <agent ${attributes} />\n`
}

const [A, B, C] = [pipeline('a', 'make'), pipeline('b', 'make'), pipeline('c', 'make')]

describe('edits of different parts', () => {
  it('stay with their things, whatever the order', () => {
    const base = cruise(group('g', A, B, C))
    const edited = pipeline('a', 'deploy')

    expect(cleanly(base, cruise(group('g', B, C, A)), cruise(group('g', edited, B, C)))).toBe(
      cruise(group('g', B, C, edited)),
    )
  })

  it('follow a pipeline into another group, also from one that is dissolved', () => {
    const base = cruise(group('g', A, B), group('h', C))
    const edited = pipeline('a', 'deploy')
    const ours = cruise(group('g', B), group('h', C, A))
    const dissolved = cruise(group('h', C, A, B))

    const theirs = cruise(group('g', edited, B), group('h', C))

    expect(cleanly(base, ours, theirs)).toBe(cruise(group('g', B), group('h', C, edited)))
    expect(cleanly(base, dissolved, theirs)).toBe(cruise(group('h', C, edited, B)))
  })

  it('follow a pipeline into another group with the comments around it', () => {
    const note = '    <!-- why -->\n'
    const base = cruise(group('g', A, B), group('h', C))
    const moved = cruise(group('g', B), group('h', C, A))
    const kept = cruise(group('g', B), group('h', C, note, A))
    const behind = A.replace('</pipeline>', '</pipeline> <!-- why -->')

    expect(cleanly(base, moved, cruise(group('g', note, A, B), group('h', C)))).toBe(kept)
    expect(cleanly(base, moved, cruise(group('g', behind, B), group('h', C)))).toBe(
      cruise(group('g', B), group('h', C, behind)),
    )
    expect(cleanly(cruise(group('g', note, A, B), group('h', C)), kept, base)).toBe(moved)
    const dissolved = cruise(group('h', C, A, B))
    expect(cleanly(base, dissolved, cruise(group('g', note, A, B), group('h', C)))).toBe(
      cruise(group('h', C, note, A, B)),
    )
  })

  it('follow a pipeline into a group that is new', () => {
    const base = cruise(group('g', A, B))
    const edited = pipeline('a', 'deploy')

    expect(cleanly(base, cruise(group('g', B), group('h', A)), cruise(group('g', edited, B)))).toBe(
      cruise(group('g', B), group('h', edited)),
    )
  })

  it('follow a new name', () => {
    const [one, other] = [pipeline('a', 'only-a'), pipeline('b', 'only-b')]
    const base = cruise(group('g', one, other))
    const ours = cruise(group('g', one.replace('"a"', '"new"'), other))
    const theirs = cruise(group('g', pipeline('a', 'only-a', 'more'), other))

    expect(cleanly(base, ours, theirs)).toBe(
      cruise(group('g', pipeline('new', 'only-a', 'more'), other)),
    )
  })

  it('are attributes of one tag, children of one list, and a comment', () => {
    const base = cruise(agents(agent('uuid="u" hostname="h"')))
    const ours = cruise(agents('    <!-- old -->\n', agent('uuid="u" hostname="mine"')))
    const theirs = cruise(
      agents(agent('uuid="u" hostname="h" isDisabled="true"'), agent('uuid="v"')),
    )

    expect(cleanly(base, ours, theirs)).toBe(
      cruise(
        agents(
          '    <!-- old -->\n',
          agent('uuid="u" hostname="mine" isDisabled="true"'),
          agent('uuid="v"'),
        ),
      ),
    )
  })

  it('stand in the order of the schema where both add something at one place', () => {
    const base = cruise(group('g', A))
    const line = '<pipeline name="a">\n'
    const having = (child: string) => base.replace(line, `${line}      ${child}\n`)
    const [timer, variables] = ['<timer>0 0 1 * * ?</timer>', '<environmentvariables />']

    expect(cleanly(base, having(variables), having(timer))).toBe(
      base.replace(line, `${line}      ${timer}\n      ${variables}\n`),
    )
  })

  it('fill a list that only they have, and leave one that the other side has taken away', () => {
    const base = cruise(group('g', A))
    const variables = (...names: readonly string[]) =>
      base.replace(
        '"a">\n',
        `"a">\n      <environmentvariables>\n${names.map((name) => `        <variable name="${name}" />\n`).join('')}      </environmentvariables>\n`,
      )

    expect(cleanly(base, variables('X'), variables('X'))).toBe(variables('X'))
    expect(merged(base, variables('X'), variables('Y')).text).toBe(variables('X', 'Y'))
    expect(cleanly(variables('X'), base, variables('X', 'Y'))).toBe(variables('Y'))
  })
})

describe('edits that contradict each other', () => {
  it.each([{ what: 'an attribute', mine: 'name="j" timeout="1"', theirs: 'name="j" timeout="2"' }])(
    'are told of $what, with the smallest part',
    ({ mine, theirs }) => {
      const base = cruise(group('g', A, B))
      const [ours, others] = [mine, theirs].map((to) => base.replace('name="j"', to))

      const { conflicts, text } = merged(base, ours ?? '', others ?? '')

      expect(conflicts).toMatchObject([
        {
          path: 'pipeline "a" › stage "s" › job "j"',
          entity: 'pipeline/a',
          ours: { text: 'timeout="1"' },
          theirs: { text: 'timeout="2"' },
          canBeBoth: false,
        },
      ])
      expect(text).toBe(others)
      expect(merged(base, ours ?? '', others ?? '', ['ours']).text).toBe(ours)
    },
  )

  it('are told where one side takes away what the other changes', () => {
    const base = cruise(group('g', A, B))
    const [ours, theirs] = [cruise(group('g', B)), cruise(group('g', pipeline('a', 'x'), B))]

    expect(merged(base, ours, theirs).conflicts).toMatchObject([{ path: 'pipeline "a"' }])
    expect(merged(base, ours, theirs, ['ours']).text).toBe(ours)
    expect(merged(base, ours, theirs, ['theirs']).text).toBe(theirs)
    expect(merged(base, theirs, ours, ['ours']).text).toBe(theirs)
  })

  it('are told where it cannot be known which of some equal tasks is meant', () => {
    const [ours, theirs] = [runs('make', 'make'), runs('make', 'deploy', 'make')]

    const { conflicts } = merged(runs('make', 'make', 'make'), ours, theirs)

    expect(conflicts).toHaveLength(1)
  })

  it('can have both tasks that were added at one place', () => {
    const sides = [runs('make'), runs('make', 'mine'), runs('make', 'theirs')] as const

    expect(merged(...sides).conflicts).toMatchObject([{ canBeBoth: true }])
    expect(merged(...sides, ['both']).text).toBe(runs('make', 'theirs', 'mine'))
  })

  it('are told where both move one pipeline, which then stands once', () => {
    const base = cruise(group('g', A, B), group('h', C), group('i', pipeline('d', 'x')))
    const ours = cruise(group('g', B), group('h', C, A), group('i', pipeline('d', 'x')))
    const theirs = cruise(group('g', B), group('h', C), group('i', pipeline('d', 'x'), A))

    expect(merged(base, ours, theirs).conflicts).toHaveLength(1)
    expect(merged(base, ours, theirs, ['ours']).text).toBe(ours)
    expect(merged(base, ours, theirs, ['theirs']).text).toBe(theirs)
  })

  it('are not followed by name where another thing that is gone is equal to the renamed one', () => {
    const base = cruise(group('g', A, B, C))
    const ours = cruise(group('g', A.replace('"a"', '"new"'), C))

    const { conflicts } = merged(base, ours, cruise(group('g', pipeline('a', 'x'), B, C)))

    expect(conflicts).toMatchObject([{ path: 'pipeline "a"' }])
  })
})

describe('edits of a group that is dissolved', () => {
  const base = cruise(group('g', A), group('h', C))

  it('do not lose a pipeline that was moved into it', () => {
    const ours = cruise(group('g', A, C), group('h'))
    const theirs = cruise(group('h', C, A))

    expect(merged(base, ours, theirs).conflicts).toMatchObject([{ path: 'group "g"' }])
    expect(merged(base, ours, theirs, ['ours']).text).toContain(C)
  })

  it('do not lose a comment on it', () => {
    const ours = cruise('  <!-- why -->\n', group('g', A), group('h', C))

    const { conflicts } = merged(base, ours, cruise(group('h', C, A)))

    expect(conflicts).toMatchObject([{ path: 'group "g"' }])
  })

  it('leave a group as it was emptied', () => {
    const ours = cruise(group('g', A, C), '  <pipelines group="h" />\n')

    expect(cleanly(base, ours, cruise(group('g', pipeline('a', 'x')), group('h', C)))).toBe(
      cruise(group('g', pipeline('a', 'x'), C), '  <pipelines group="h" />\n'),
    )
  })
})

const REFERRED = ['one', 'two', 'three', 'four', 'five', 'six']
const lines = REFERRED.map((task) => `<exec command="${task}" />`).join('\n')
const roles = (name: string, ...users: readonly string[]) =>
  `<server><security><roles>\n<role name="${name}">\n<users>\n${users.map((user) => `<user>${user}</user>`).join('\n')}\n</users>\n</role>\n</roles></security></server>\n`
const template = (name: string, tasks = lines) =>
  `<templates>\n<pipeline name="${name}"><stage name="s"><jobs><job name="j"><tasks>\n${tasks}\n</tasks></job></jobs></stage></pipeline>\n</templates>\n`

function usesOf(name: string): string {
  return `<pipeline name="p" template="${name}" />\n`
}

describe('references to what the other side has renamed', () => {
  it.each([
    {
      what: 'a template',
      before: template('t'),
      after: template('new', lines.replace('one', 'changed')),
      uses: (name: string) => [`<pipeline name="p" template="${name}" />\n`],
      more: (name: string) => [`<pipeline name="q" template="${name}" />\n`],
    },
    {
      what: 'a role',
      before: roles('t', ...REFERRED),
      after: roles('new', ...REFERRED, 'seven'),
      uses: (name: string) => [
        `<authorization><admins><role>${name}</role></admins></authorization>\n`,
      ],
      more: (name: string) => [
        `<pipeline name="q"><stage name="s"><approval type="manual"><authorization><role>${name}</role></authorization></approval></stage></pipeline>\n`,
      ],
    },
    {
      what: 'a pipeline whose artifacts are fetched',
      before: '',
      after: '',
      uses: (name: string) => [
        `<pipeline name="${name}"><stage name="s"><jobs><job name="j"><tasks>\n${name === 't' ? lines : lines.replace('one', 'changed')}\n</tasks></job></jobs></stage></pipeline>\n`,
        `<pipeline name="p"><materials><pipeline pipelineName="${name}" stageName="s" /></materials></pipeline>\n`,
      ],
      more: (name: string) => [
        `<pipeline name="q"><stage name="s"><jobs><job name="j"><tasks><fetchartifact pipeline="${name}/p" stage="s" job="j" srcfile="f" /></tasks></job></jobs></stage></pipeline>\n`,
      ],
    },
  ])('have the new name of $what', ({ before, after, uses, more }) => {
    const base = cruise(before, group('g', ...uses('t')))
    const ours = cruise(after, group('g', ...uses('new')))
    const theirs = cruise(before, group('g', ...uses('t'), ...more('t')))

    expect(cleanly(base, ours, theirs)).toBe(
      cruise(after, group('g', ...uses('new'), ...more('new'))),
    )
  })

  it('stay where the other side has another thing of the new name, and both are there', () => {
    const other = template('new', '<exec command="other" />')
    const list = template('t').replace('</templates>\n', other.replace('<templates>\n', ''))
    const base = cruise(template('t'), group('g', usesOf('t')))
    const ours = cruise(template('new'), group('g', usesOf('new')))

    const changed = list.replace('"one"', '"changed"')
    const { text, conflicts } = merged(base, ours, cruise(changed, group('g', usesOf('t'))))

    expect(conflicts).toEqual([])
    expect(text).toBe(cruise(changed.replace('"t"', '"new"'), group('g', usesOf('new'))))
  })

  it('stay where the side that renamed it has left one', () => {
    const uses = `<pipeline name="p" template="t" />\n`
    const base = cruise(template('t'), group('g', uses))
    const left = cruise(template('new'), group('g', uses))
    const more = `<pipeline name="q" template="t" />\n`
    const theirs = cruise(template('t'), group('g', uses, more))

    expect(cleanly(base, left, theirs)).toBe(cruise(template('new'), group('g', uses, more)))
  })
})

describe('edits of a thing that got another name and more', () => {
  it('are followed into its stages and jobs', () => {
    const tasks = ['one', 'two', 'three', 'four', 'five', 'six']
    const base = cruise(group('g', pipeline('a', ...tasks)))
    const ours = base.replace('"six"', '"mine"')
    const theirs = base
      .replace('name="a"', 'name="b"')
      .replace('name="s"', 'name="t"')
      .replace('name="j"', 'name="k" timeout="1"')
      .replace('"one"', '"theirs"')

    expect(cleanly(base, ours, theirs)).toBe(theirs.replace('"six"', '"mine"'))
  })
})
