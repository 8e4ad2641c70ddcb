/** The people of the document below, each with what they administer. */
export const PEOPLE = {
  root: ['server'],
  owner: ['group mine', 'group ours'],
  templater: ['template tpl'],
  viewer: [],
} as const satisfies Record<string, readonly string[]>
export type Person = keyof typeof PEOPLE

const HIDDEN_SECRET = 'AES:dGhpcyBpcyBhIG5vbmNl:aGlkZGVuIGNpcGhlcnRleHQ='
const OWN_SECRET = 'AES:dGhpcyBpcyBhIG5vbmNl:b3duIGNpcGhlcnRleHQ='

function stage(task = '<exec command="make" />', name = 'build'): string {
  return `      <stage name="${name}">
        <jobs>
          <job name="unit">
            <tasks>
              ${task}
            </tasks>
          </job>
        </jobs>
      </stage>`
}

function pipeline(name: string, materials: readonly string[] = [], body = stage()): string {
  const [attribute, content] = body.startsWith('template=') ? [` ${body}`, ''] : ['', `${body}\n`]
  return `    <pipeline name="${name}"${attribute}>
      <materials>
        <git url="https://example.org/${name}.git" dest="git" />
${materials.map((each) => `        ${each}\n`).join('')}      </materials>
${content}    </pipeline>
`
}

function plugged(name: string, inner = ''): string {
  return `id="${name}" name="${name}">
      <pluginConfiguration id="plugin" version="1" />
      <configuration>
        <property>
          <key>url</key>
          <value>${name}</value>
        </property>
      </configuration>
${inner}`
}

function packageOf(name: string): string {
  return `        <package id="${name}" name="${name}">
          <configuration>
            <property>
              <key>name</key>
              <value>${name}</value>
            </property>
          </configuration>
        </package>
`
}

function authorization(lists: string): string {
  return `    <authorization>
${lists}
    </authorization>
`
}

function template(name: string, rights = '', body = stage()): string {
  return `    <pipeline name="${name}">
${rights === '' ? '' : authorization(rights)}${body}
    </pipeline>
`
}

/** Groups of an owner, one that the owner may view, and one that is hidden, with all that pipelines name. */
export const DELEGATED = `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="75">
  <server artifactsdir="artifacts">
    <security>
      <passwordFile path="/users" />
      <roles>
        <role name="devs">
          <users>
            <user>ben</user>
          </users>
        </role>
      </roles>
      <admins>
        <user>root</user>
      </admins>
    </security>
  </server>
  <repositories>
    <repository ${plugged('repo', `      <packages>\n${packageOf('p-seen')}${packageOf('p-hidden')}      </packages>\n`)}    </repository>
  </repositories>
  <scms>
    <scm ${plugged('s-seen')}    </scm>
    <scm ${plugged('s-hidden')}    </scm>
  </scms>
  <pipelines group="mine">
${authorization('      <admins>\n        <user>owner</user>\n      </admins>')}${pipeline('m1', [`<svn url="https://example.org/svn" dest="svn" username="u" encryptedPassword="${OWN_SECRET}" />`])}${pipeline('m2', [], 'template="t-seen"')}  </pipelines>
  <!-- between -->
  <pipelines group="ours">
${authorization('      <admins>\n        <user>owner</user>\n      </admins>')}${pipeline('o1')}${pipeline('o2')}  </pipelines>
  <pipelines group="shown">
${authorization('      <view>\n        <user>owner</user>\n      </view>\n      <admins>\n        <user>root</user>\n      </admins>')}${pipeline('s1', ['<package ref="p-seen" />', '<scm ref="s-seen" dest="scm" />'])}${pipeline('s2', [], 'template="t-seen"')}  </pipelines>
  <pipelines group="hidden">
${authorization('      <admins>\n        <user>root</user>\n      </admins>')}${pipeline('h1', ['<package ref="p-hidden" />', '<scm ref="s-hidden" dest="scm" />', `<svn url="https://example.org/other" dest="svn" username="u" encryptedPassword="${HIDDEN_SECRET}" />`])}${pipeline('h2', [], 'template="t-hidden"')}  </pipelines>
  <templates>
${template('tpl', '      <admins>\n        <user>templater</user>\n      </admins>')}${template('t-seen')}${template('t-hidden')}  </templates>
  <environments>
    <environment name="live">
      <pipelines>
        <pipeline name="h2" />
      </pipelines>
    </environment>
  </environments>
  <agents>
    <agent hostname="box" ipaddress="127.0.0.1" uuid="u1" />
  </agents>
</cruise>
`

/** A change of the document, with what it lies in, and why it is more than that. */
export interface DelegatedCase {
  readonly what: string
  readonly document: string
  /** The parts that it lies in before and after: groups, templates, or `server` for what nobody is given. */
  readonly within: readonly string[]
  /** Whether only administrators of the server may make it, wherever it lies. */
  readonly reaches?: 'what is hidden' | 'somebody unknown'
  /** The entity that changes, where it is one. */
  readonly entity?: string | undefined
}

function replaced(from: string | RegExp, to: string, document = DELEGATED): string {
  const text = document.replace(from, () => to)
  if (text === document) throw new Error(`Nothing is ${String(from)}`)
  return text
}

/** A pipeline of the document, from its tag to the end of its last line. */
function pipelineText(name: string): string {
  return new RegExp(`    <pipeline name="${name}"[^]*?</pipeline>\n`).exec(DELEGATED)?.[0] ?? ''
}

function inPipeline(name: string, from: string | RegExp, to: string): string {
  return replaced(pipelineText(name), replaced(from, to, pipelineText(name)))
}

function groupText(name: string): string {
  return new RegExp(`  <pipelines group="${name}">[^]*?</pipelines>\n`).exec(DELEGATED)?.[0] ?? ''
}

function inGroup(name: string, from: string | RegExp, to: string): string {
  return replaced(groupText(name), replaced(from, to, groupText(name)))
}

const GROUPS = [
  { group: 'mine', one: 'm1', other: 'm2' },
  { group: 'ours', one: 'o1', other: 'o2' },
  { group: 'shown', one: 's1', other: 's2' },
  { group: 'hidden', one: 'h1', other: 'h2' },
] as const

/** Changes that every group allows alike. */
const IN_GROUPS: readonly DelegatedCase[] = GROUPS.flatMap(({ group, one, other }) => {
  const within = [`group ${group}`]
  const entity = `pipeline/${one}`
  const change = (what: string, document: string, more: Partial<DelegatedCase> = {}) => ({
    what: `${what} of ${one} in ${group}`,
    document,
    within,
    entity,
    ...more,
  })
  return [
    change('the material', inPipeline(one, `${one}.git`, 'else.git')),
    change(
      'the label',
      inPipeline(one, `name="${one}"`, `name="${one}" labeltemplate="x-\${COUNT}"`),
    ),
    change(
      'a variable',
      inPipeline(
        one,
        '      <materials>',
        '      <environmentvariables>\n        <variable name="A">\n          <value>1</value>\n        </variable>\n      </environmentvariables>\n      <materials>',
      ),
    ),
    change('a task', inPipeline(one, 'command="make"', 'command="ls"')),
    change(
      'a comment',
      inPipeline(one, '      <materials>', '      <!-- why -->\n      <materials>'),
    ),
    change('white space', inPipeline(one, '      <materials>', '\n      <materials>')),
    change(
      'a job',
      inPipeline(one, '        </jobs>', '          <job name="more" />\n        </jobs>'),
    ),
    change(
      'a plain password',
      inPipeline(
        one,
        '      </materials>',
        '        <svn url="https://example.org/new" dest="more" username="u" password="plain" />\n      </materials>',
      ),
    ),
    change('the name', inPipeline(one, `name="${one}"`, `name="${one}-renamed"`), {
      entity: undefined,
    }),
    change('the end', replaced(pipelineText(one), ''), { entity: undefined }),
    change('a neighbour', replaced(pipelineText(one), pipelineText(one) + pipeline('new-one')), {
      entity: 'pipeline/new-one',
    }),
    change(
      'the place',
      replaced(pipelineText(one) + pipelineText(other), pipelineText(other) + pipelineText(one)),
      {
        entity: `group/${group}`,
      },
    ),
    change(
      'the rights',
      inGroup(
        group,
        '      <admins>',
        '      <operate>\n        <user>viewer</user>\n      </operate>\n      <admins>',
      ),
      { entity: `group/${group}` },
    ),
    change(
      'a role among the rights',
      inGroup(
        group,
        '      <admins>',
        '      <operate>\n        <role>devs</role>\n      </operate>\n      <admins>',
      ),
      { entity: `group/${group}` },
    ),
    change(
      'a right of nobody known',
      inGroup(
        group,
        '      <admins>',
        '      <operate>\n        <user>who-is-it</user>\n      </operate>\n      <admins>',
      ),
      { entity: `group/${group}`, reaches: 'somebody unknown' },
    ),
    change(
      'the last administrator',
      inGroup(group, /<admins>\n        <user>\w+</, '<admins>\n        <user>viewer<'),
      { entity: `group/${group}`, within: ['server'] },
    ),
    change('the name of the group', inGroup(group, `group="${group}"`, 'group="renamed"'), {
      within: ['server'],
      entity: undefined,
    }),
    change(
      'the group as a whole',
      replaced(groupText(group), '').replace(/ *<environments>[^]*<\/environments>\n/, ''),
      {
        within: ['server'],
        entity: undefined,
      },
    ),
  ]
})

function named(what: string, material: string, reaches?: DelegatedCase['reaches']): DelegatedCase {
  const document = inPipeline('m1', '      </materials>', `        ${material}\n      </materials>`)
  const change = { what, document, within: ['group mine'], entity: 'pipeline/m1' }
  return reaches === undefined ? change : { ...change, reaches }
}

const NAMING: readonly DelegatedCase[] = [
  named('an upstream of the own group', '<pipeline pipelineName="o1" stageName="build" />'),
  named('an upstream that may be viewed', '<pipeline pipelineName="s1" stageName="build" />'),
  named(
    'an upstream that is hidden',
    '<pipeline pipelineName="h1" stageName="build" />',
    'what is hidden',
  ),
  named('a package that may be viewed', '<package ref="p-seen" />'),
  named('a package that is hidden', '<package ref="p-hidden" />', 'what is hidden'),
  named('an scm that may be viewed', '<scm ref="s-seen" dest="scm" />'),
  named('an scm that is hidden', '<scm ref="s-hidden" dest="scm" />', 'what is hidden'),
  named(
    'a sealed value of a hidden pipeline',
    `<svn url="https://example.org/x" dest="more" username="u" encryptedPassword="${HIDDEN_SECRET}" />`,
    'what is hidden',
  ),
  named(
    'a sealed value of its own',
    `<svn url="https://example.org/x" dest="more" username="u" encryptedPassword="${OWN_SECRET}" />`,
  ),
  {
    what: 'a template that is hidden',
    document: inPipeline('m2', 't-seen', 't-hidden'),
    within: ['group mine'],
    reaches: 'what is hidden',
    entity: 'pipeline/m2',
  },
  {
    what: 'a hidden upstream by a param',
    document: inPipeline(
      'm1',
      /      <materials>[^]*?    <\/materials>\n/,
      '      <params>\n        <param name="up">h1</param>\n      </params>\n      <materials>\n        <pipeline pipelineName="#{up}" stageName="build" />\n      </materials>\n',
    ),
    within: ['group mine'],
    reaches: 'what is hidden',
    entity: 'pipeline/m1',
  },
  {
    what: 'artifacts of a hidden upstream',
    document: inPipeline(
      'm1',
      '      </materials>',
      '        <pipeline pipelineName="s1" stageName="build" />\n      </materials>',
    ).replace(
      '<exec command="make" />',
      '<fetchartifact pipeline="s1" stage="build" job="unit" srcfile="x" />',
    ),
    within: ['group mine'],
    entity: 'pipeline/m1',
  },
]

const ELSEWHERE: readonly DelegatedCase[] = [
  ['the schema version', replaced('schemaVersion="75"', 'schemaVersion="77"')],
  ['a comment between groups', replaced('<!-- between -->', '<!-- else -->')],
  ['white space between groups', replaced('  <!-- between -->', '\n  <!-- between -->')],
  [
    'the order of groups',
    replaced(groupText('mine'), '').replace(
      groupText('ours'),
      () => groupText('ours') + groupText('mine'),
    ),
  ],
  ['a new group', replaced('  <templates>', '  <pipelines group="new" />\n  <templates>')],
  [
    'an environment',
    replaced('<pipeline name="h2" />', '<pipeline name="h2" />\n        <pipeline name="m1" />'),
  ],
  ['an agent', replaced('ipaddress="127.0.0.1"', 'ipaddress="127.0.0.1" isDisabled="true"')],
  [
    'an administrator',
    replaced('<user>root</user>', '<user>root</user>\n        <user>owner</user>'),
  ],
  ['a role', replaced('<user>ben</user>', '<user>ben</user>\n            <user>owner</user>')],
  ['a package', replaced('<value>p-seen</value>', '<value>p-else</value>')],
  ['the declaration', replaced('encoding="utf-8"', 'encoding="UTF-8"')],
  ['the end of the document', `${DELEGATED}\n`],
].map(([what = '', document = '']) => ({ what, document, within: ['server'] }))

const BOTH: readonly DelegatedCase[] = [
  {
    what: 'two own groups',
    document: inPipeline('m1', 'm1.git', 'x.git').replace('o1.git', 'y.git'),
    within: ['group mine', 'group ours'],
  },
  {
    what: 'an own group and another',
    document: inPipeline('m1', 'm1.git', 'x.git').replace('s1.git', 'y.git'),
    within: ['group mine', 'group shown'],
  },
  {
    what: 'an own group and an agent',
    document: inPipeline('m1', 'm1.git', 'x.git').replace('hostname="box"', 'hostname="else"'),
    within: ['group mine', 'server'],
  },
  {
    what: 'another administrator of a group of others',
    document: inGroup('shown', '<admins>\n', '<admins>\n        <user>owner</user>\n'),
    within: ['group shown'],
    entity: 'group/shown',
  },
  {
    what: 'a move between own groups',
    document: replaced(pipelineText('m1'), '').replace(
      pipelineText('o1'),
      () => pipelineText('m1') + pipelineText('o1'),
    ),
    within: ['group mine', 'group ours'],
  },
  {
    what: 'a move out of an own group',
    document: replaced(pipelineText('m1'), '').replace(
      pipelineText('s1'),
      () => pipelineText('m1') + pipelineText('s1'),
    ),
    within: ['group mine', 'group shown'],
  },
  {
    what: 'a move into an own group',
    document: replaced(pipelineText('s2'), '').replace(
      pipelineText('m1'),
      () => pipelineText('s2') + pipelineText('m1'),
    ),
    within: ['group mine', 'group shown'],
  },
]

function inTemplate(name: string, from: string | RegExp, to: string): string {
  return inPipelineOfTemplates(name, from, to)
}

function inPipelineOfTemplates(name: string, from: string | RegExp, to: string): string {
  const templates = /  <templates>[^]*<\/templates>\n/.exec(DELEGATED)?.[0] ?? ''
  const text =
    new RegExp(`    <pipeline name="${name}">[^]*?</pipeline>\n`).exec(templates)?.[0] ?? ''
  return replaced(
    templates,
    templates.replace(text, () => replaced(from, to, text)),
  )
}

const TEMPLATES: readonly DelegatedCase[] = [
  ...['tpl', 't-seen'].flatMap((name): DelegatedCase[] => {
    const within = [`template ${name}`]
    const entity = `template/${name}`
    return [
      {
        what: `a task of the template ${name}`,
        document: inTemplate(name, 'command="make"', 'command="ls"'),
        within,
        entity,
      },
      {
        what: `a comment of the template ${name}`,
        document: inTemplate(name, '      <stage', '      <!-- why -->\n      <stage'),
        within,
        entity,
      },
      {
        what: `the name of the template ${name}`,
        document: replaced(new RegExp(`name="${name}"`), 'name="renamed"').replaceAll(
          `template="${name}"`,
          'template="renamed"',
        ),
        within: ['server'],
      },
    ]
  }),
  {
    what: 'the rights of the template tpl',
    document: inTemplate(
      'tpl',
      '<user>templater</user>',
      '<user>templater</user>\n        <user>viewer</user>',
    ),
    within: ['template tpl'],
    entity: 'template/tpl',
  },
  {
    what: 'the last administrator of the template tpl',
    document: inTemplate('tpl', '<user>templater</user>', '<user>viewer</user>'),
    within: ['server'],
    entity: 'template/tpl',
  },
]

export const DELEGATED_CASES: readonly DelegatedCase[] = [
  ...IN_GROUPS,
  ...NAMING,
  ...ELSEWHERE,
  ...BOTH,
  ...TEMPLATES,
]

/** Whether somebody may make a change: by what is said of it above, and of nothing that the service computes. */
export function mayMake(person: Person, { within, reaches }: DelegatedCase): boolean {
  if (person === 'root') return true
  const administered: readonly string[] = PEOPLE[person]
  return reaches === undefined && within.every((part) => administered.includes(part))
}
