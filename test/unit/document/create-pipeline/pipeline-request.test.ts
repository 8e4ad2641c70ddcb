import { describe, expect, it } from 'vitest'
import { readPipelineRequest } from '../../../../src/document/create-pipeline/pipeline-request.ts'

type Entries = readonly (readonly [string, string])[]

const URL_ENTRY = ['url', 'http://scm/repo'] as const

function read(query: string, name = 'build') {
  return readPipelineRequest(name, new URLSearchParams(query))
}

/** The parameters that are refused, or null when the request is accepted. */
function refused(query: string, name = 'build'): readonly (string | undefined)[] | null {
  const reading = read(query, name)
  return reading.ok ? null : reading.problems.map(({ path }) => path)
}

function requestOf(query: string) {
  const reading = read(query)
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  return reading.request
}

describe('readPipelineRequest', () => {
  it('fills in the defaults', () => {
    expect(requestOf('url=u')).toEqual({
      name: 'build',
      group: 'defaultGroup',
      material: { scm: 'svn', values: new Map([['url', 'u']]) },
      task: { builder: 'ant', values: new Map() },
      artifacts: [],
    })
  })

  it.each([
    ['url=u&username=bob&password=pw', { scm: 'svn', url: 'u', username: 'bob', password: 'pw' }],
    ['url=u&username=&password=', { scm: 'svn', url: 'u', username: '' }],
    ['scm=hg&url=u', { scm: 'hg', url: 'u' }],
    ['scm=git&url=u', { scm: 'git', url: 'u' }],
    ['scm=git&url=u&branch=dev&username=', { scm: 'git', url: 'u', branch: 'dev' }],
    [
      'scm=p4&url=host:1666&view=//d/...+//w/...%0D%0A//e&useTickets=true',
      {
        scm: 'p4',
        port: 'host:1666',
        useTickets: 'true',
        view: '//d/... //w/...\n//e',
      },
    ],
    [
      'scm=tfs&url=u&domain=d&username=bob&password=pw&projectPath=$/p',
      {
        scm: 'tfs',
        url: 'u',
        domain: 'd',
        username: 'bob',
        password: 'pw',
        projectPath: '$/p',
      },
    ],
  ])('reads the material of %s', (query, material) => {
    const { scm, values } = requestOf(query).material

    expect({ scm, ...Object.fromEntries(values) }).toEqual(material)
  })

  it.each([
    [
      'builder=nant&buildfile=b&target=t',
      {
        builder: 'nant',
        values: new Map([
          ['buildfile', 'b'],
          ['target', 't'],
        ]),
      },
    ],
    ['builder=rake', { builder: 'rake', values: new Map() }],
    ['builder=exec&command=make', { builder: 'exec', command: 'make', args: [] }],
    [
      'builder=exec&command=sh -c "a b"&arguments=-x \'y z\'&buildfile=&target=',
      { builder: 'exec', command: 'sh', args: ['-c', 'a b', '-x', 'y z'] },
    ],
  ])('reads the task of %s', (query, task) => {
    expect(requestOf(`url=u&${query}`).task).toEqual(task)
  })

  it.each([
    ['source=out', [{ kind: 'artifact', src: 'out', dest: null }]],
    [
      'source=a&dest=x&source=b&dest=&source=c&artifactType=test',
      [
        { kind: 'test', src: 'a', dest: 'x' },
        { kind: 'test', src: 'b', dest: null },
        { kind: 'test', src: 'c', dest: null },
      ],
    ],
    [
      'source=a&artifactType=test&source=b&artifactType=artifact&dest=x&source=c&artifactType=&source=d',
      [
        { kind: 'test', src: 'a', dest: 'x' },
        { kind: 'artifact', src: 'b', dest: null },
        { kind: 'artifact', src: 'c', dest: null },
        { kind: 'artifact', src: 'd', dest: null },
      ],
    ],
    [
      'source=&artifactType=artifact&source=b&artifactType=test',
      [{ kind: 'test', src: 'b', dest: null }],
    ],
    ['source=&dest=', []],
  ])('reads the artifacts of %s', (query, artifacts) => {
    expect(requestOf(`url=u&${query}`).artifacts).toEqual(artifacts)
  })

  it.each([
    ['', ['url']],
    ['url=+', ['url']],
    ['scm=hg', ['url']],
    ['scm=git', ['url']],
    ['scm=cvs&url=u', ['scm']],
    ['scm=SVN&url=u', ['scm']],
    ['scm=p4&view=v', ['url']],
    ['scm=p4&url=h:1', ['view']],
    ['scm=p4&url=h:1&view=v&useTickets=yes', ['useTickets']],
    ['scm=tfs&url=u', ['username', 'projectPath']],
    ['scm=tfs&url=u&username=&projectPath=p', ['username']],
    ['url=u&view=v', ['view']],
    ['url=u&useTickets=false', ['useTickets']],
    ['url=u&domain=d&projectPath=p', ['domain', 'projectPath']],
    ['url=u&branch=b', ['branch']],
    ['scm=hg&url=u&username=bob&password=pw', ['username', 'password']],
    ['scm=git&url=u&username=bob', ['username']],
    ['scm=p4&url=h:1&view=v&domain=d', ['domain']],
    ['scm=tfs&url=u&username=bob&projectPath=p&view=v', ['view']],
    ['url=u&url=v', ['url']],
    ['url=u&password=a%00b', ['password']],
    ['url=u&builder=maven', ['builder']],
    ['url=u&builder=exec', ['command']],
    ['url=u&builder=exec&command=make&buildfile=b&target=t', ['buildfile', 'target']],
    ['url=u&builder=exec&command=make "all', ['command']],
    ['url=u&builder=exec&command=make %26%26 echo done', ['command']],
    ['url=u&builder=exec&command=make&arguments=all > log', ['arguments']],
    ['url=u&builder=exec&command="" all', ['command']],
    ["url=u&builder=exec&command=make&arguments='a", ['arguments']],
    ['url=u&builder=ant&command=make', ['command']],
    ['url=u&dest=d', ['dest']],
    ['url=u&source=a&dest=x&dest=y', ['dest']],
    ['url=u&source=a&dest=x.', ['dest']],
    ['url=u&source=a&artifactType=log', ['artifactType']],
    ['url=u&source=a&artifactType=test&source=b&artifactType=log', ['artifactType']],
    ['url=u&source=a&artifactType=test&artifactType=test', ['artifactType']],
    ['url=u&pipelineGroup=a+b', ['pipelineGroup']],
    [
      'builder=exec&useTickets=x&view=v&source=%01',
      ['url', 'useTickets', 'view', 'command', 'source'],
    ],
  ])('refuses %j by the names of its parameters', (query, parameters) => {
    expect(refused(query)).toEqual(parameters)
  })

  it.each(['', '.a', 'a b', 'ä', 'a/b', 'a'.repeat(256)])('refuses the name %j', (name) => {
    expect(refused('url=u', name)).toEqual(['name'])
  })

  it.each(['a', '-', '_.', '9.b-c', 'a'.repeat(255)])('takes the name %j', (name) => {
    expect(refused('url=u', name)).toBeNull()
  })

  it('ignores parameters that it does not know', () => {
    const entries: Entries = [URL_ENTRY, ['authenticity_token', 'x'], ['__proto__', 'y']]

    expect(readPipelineRequest('build', entries).ok).toBe(true)
  })

  it('repeats no password in a message', () => {
    const reading = read('scm=hg&password=hunter2&password=hunter2%01')

    expect(reading.ok).toBe(false)
    expect(JSON.stringify(reading)).not.toContain('hunter2')
  })
})
