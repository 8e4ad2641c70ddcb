/** The fields that a client sends to create a pipeline. */
export type Form = Readonly<Record<string, string>>

/** A new pipeline as it is written, but for the indentation of all of it. */
export function pipelineWith(
  material: string,
  task: string,
  artifacts: readonly string[] = [],
): string {
  const inside = ['<tasks>', `  ${task}`, '</tasks>', ...artifacts]
  return [
    '<pipeline name="new">',
    '  <materials>',
    ...material.split('\n').map((line) => `    ${line}`),
    '  </materials>',
    '  <stage name="defaultStage">',
    '    <jobs>',
    '      <job name="defaultJob">',
    ...inside.flatMap((part) => part.split('\n')).map((line) => `        ${line}`),
    '      </job>',
    '    </jobs>',
    '  </stage>',
    '</pipeline>',
  ].join('\n')
}

export const SVN = '<svn url="http://scm/r" />'
const LOGIN = { username: 'ana', password: 's3cret' }

/** Each accepted form of a material, and what it makes. */
export const MATERIALS: readonly (readonly [Form, string])[] = [
  [{ url: 'http://scm/r' }, SVN],
  [
    { scm: 'svn', url: 'http://scm/r', ...LOGIN },
    '<svn url="http://scm/r" username="ana" encryptedPassword=SEALED />',
  ],
  [{ scm: 'hg', url: 'http://scm/r' }, '<hg url="http://scm/r" />'],
  [{ scm: 'git', url: 'http://scm/r' }, '<git url="http://scm/r" />'],
  [{ scm: 'p4', url: 'p4:1666', view: '//a/...' }, p4('port="p4:1666"', '//a/...')],
  [
    { scm: 'p4', url: 'p4:1666', view: '//a/... //w/... <x>', useTickets: 'true', ...LOGIN },
    p4(
      'port="p4:1666" username="ana" encryptedPassword=SEALED useTickets="true"',
      '//a/... //w/... <x>',
    ),
  ],
  [
    { scm: 'p4', url: 'p4:1666', view: '//a/...', useTickets: 'false' },
    p4('port="p4:1666"', '//a/...'),
  ],
  [
    { scm: 'tfs', url: 'http://tfs', username: 'ana', projectPath: '$/app' },
    '<tfs url="http://tfs" username="ana" projectPath="$/app" />',
  ],
  [
    { scm: 'tfs', url: 'http://tfs', domain: 'corp', projectPath: '$/app', ...LOGIN },
    '<tfs url="http://tfs" username="ana" domain="corp" encryptedPassword=SEALED projectPath="$/app" />',
  ],
]

function p4(attributes: string, view: string): string {
  return `<p4 ${attributes}>\n  <view><![CDATA[${view}]]></view>\n</p4>`
}

export const TASKS: readonly (readonly [Form, string])[] = [
  [{}, '<ant />'],
  [{ builder: 'ant', buildfile: 'b.xml', target: 'all' }, '<ant buildfile="b.xml" target="all" />'],
  [{ builder: 'nant', target: 'all' }, '<nant target="all" />'],
  [{ builder: 'rake', buildfile: 'Rakefile' }, '<rake buildfile="Rakefile" />'],
  [{ builder: 'exec', command: 'make' }, '<exec command="make" />'],
  [
    { builder: 'exec', command: `sh -c 'a && b'` },
    '<exec command="sh">\n    <arg>-c</arg>\n    <arg>a &amp;&amp; b</arg>\n  </exec>',
  ],
]

export const ARTIFACTS: readonly (readonly [Form, string])[] = [
  [{ source: 'out' }, '<artifact src="out" />'],
  [{ source: 'out', dest: 'all' }, '<artifact src="out" dest="all" />'],
]

/** Refused forms, and the parameters that the answer names. */
export const REFUSED: readonly (readonly [Form, readonly string[]])[] = [
  [{}, ['url']],
  [{ scm: 'hg' }, ['url']],
  [{ scm: 'git' }, ['url']],
  [{ scm: 'p4', url: 'p4:1' }, ['view']],
  [{ scm: 'p4', view: 'v' }, ['url']],
  [{ scm: 'tfs', url: 'u' }, ['username', 'projectPath']],
  [{ scm: 'cvs', url: 'u' }, ['scm']],
  [{ scm: 'p4', url: 'u', view: 'v', useTickets: 'yes' }, ['useTickets']],
  [{ url: 'u', view: 'v' }, ['view']],
  [{ url: 'u', domain: 'd', projectPath: 'p' }, ['domain', 'projectPath']],
  [{ scm: 'hg', url: 'u', ...LOGIN }, ['username', 'password']],
  [{ scm: 'git', url: 'u', useTickets: 'true' }, ['useTickets']],
  [{ scm: 'git', url: 'u', username: 'ana' }, ['username']],
  [{ scm: 'tfs', url: 'u', username: 'a', projectPath: 'p', view: 'v' }, ['view']],
  [{ url: 'u', builder: 'make' }, ['builder']],
  [{ url: 'u', builder: 'exec' }, ['command']],
  [
    { url: 'u', builder: 'exec', command: 'x', buildfile: 'b', target: 't' },
    ['buildfile', 'target'],
  ],
  [{ url: 'u', builder: 'exec', command: 'a "b' }, ['command']],
  [{ url: 'u', dest: 'd' }, ['dest']],
  [{ url: 'u', pipelineGroup: 'a b' }, ['pipelineGroup']],
]
