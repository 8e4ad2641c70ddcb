import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSource } from '../../../src/sources/open-source.ts'
import { Tools } from '../../../src/sources/tools.ts'
import { type AnElement, element } from '../../support/documents/a-configuration.ts'
import { allowing, materialOf, toolEnvironment } from '../../support/builds/materials.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const P4_CHANGES = `Change 12 on 2013/02/28 by ana@box 'second '
Change 11 on 2013/02/27 by gil@box 'first '
`
const P4_DESCRIPTIONS = `Change 12 by ana@box on 2013/02/28 10:11:12

	second
	in two lines

Jobs fixed ...

job000017 on 2013/02/27 by gil *closed*

	The build is broken

Affected files ...

... //depot/a/doc/x y.txt#3 edit
... //depot/a/src/b.c#1 add

Change 11 by gil@box on 2013/02/27 00:00:00

	first: Change 9 by nobody@x on

Affected files ...

... //depot/a/c#2 delete
`
const TF_HISTORY = `-------------------------------------------------------------------------------
Changeset: 9
User:      CORP\\ana
Date:      Feb 28, 2013 10:11:12 AM

Comment:
    fix: the build
    Items:

Items:
    edit $/proj/src/a b.c
    add, edit $/proj/doc/x.txt

-------------------------------------------------------------------------------
Changeset: 8
User:      CORP\\gil
Date:      Feb 27, 2013 10:11:12 AM

Comment:

Items:
    delete $/proj/c
`

/** A client that writes down its arguments, password and input, and answers what it was recorded to. */
async function standIn(described: AnElement, answers: Readonly<Record<string, string>>) {
  const home = tempDir()
  const { name } = described
  const command = name === 'tfs' ? 'tf' : name
  for (const [call, answer] of Object.entries(answers)) writeFileSync(join(home, call), answer)
  const answering = Object.keys(answers).map((call) => `*' ${call} '*) cat ${home}/${call};;`)
  const script = `#!/bin/sh\n{ printf '%s\\n' "${command} $*"; env | grep -E '^(P4PASSWD|LC_ALL)='; cat; } >>${home}/calls\ncase " $* " in ${answering.join(' ')} esac\n`
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', command), script, { mode: 0o755 })
  const environment = { ...toolEnvironment(home), PATH: `${home}/bin:${process.env['PATH']}` }
  const tools = new Tools({ environment, timeout: 20_000 })
  onTestFinished(() => tools[Symbol.asyncDispose]())
  const folder = join(home, '0123456789abcdef')
  mkdirSync(folder)
  const source = await openSource(materialOf(described), {
    tools,
    folder,
    password: 'geheim',
    local: allowing(home),
  })
  const calls = () => readFileSync(join(home, 'calls'), 'utf8').trimEnd().split('\n')
  return { source, calls, folder }
}

function p4(useTickets: boolean): AnElement {
  const attributes = { port: 'perforce:1666', username: 'ana', password: 'x', useTickets }
  return element('p4', attributes, [
    element('view', {}, ['//depot/a/... //someone/...\n  -//depot/a/x/... //someone/x/...']),
  ])
}

const TFS = element('tfs', {
  url: 'http://tfs:8080/c',
  username: 'ana',
  domain: 'CORP',
  password: 'x',
  projectPath: '$/proj',
})

describe('the client of p4 (a stand-in with recorded answers)', () => {
  const connection = 'p4 -p perforce:1666 -u ana -c cairn-0123456789abcdef'

  it.each([
    ['the password', false, [], ['P4PASSWD=geheim']],
    ['a ticket', true, [`${connection} login`, 'geheim'], []],
  ])('is asked for the newest change in the view with %s', async (_, tickets, login, password) => {
    const { source, calls, folder } = await standIn(p4(tickets), { changes: P4_CHANGES })

    expect(await source.newest()).toBe('12')
    expect(calls()).toEqual([
      ...login,
      `${connection} client -i`,
      ...password,
      'Client: cairn-0123456789abcdef',
      `Root: ${folder}`,
      'View:',
      '\t//depot/a/... //cairn-0123456789abcdef/...',
      '\t-//depot/a/x/... //cairn-0123456789abcdef/x/...',
      `${connection} changes -s submitted -m 1 //cairn-0123456789abcdef/...`,
      ...password,
    ])
  })

  it('lists the changes between two, with their files', async () => {
    const answers = { changes: P4_CHANGES, describe: P4_DESCRIPTIONS }
    const { source, calls } = await standIn(p4(false), answers)

    const changes = await source.changes({ after: '10', upTo: '12' })

    expect(changes).toEqual([
      {
        revision: '12',
        username: 'ana',
        time: new Date(2013, 1, 28, 10, 11, 12).getTime(),
        comment: 'second\nin two lines',
        files: ['//depot/a/doc/x y.txt', '//depot/a/src/b.c'],
      },
      expect.objectContaining({ revision: '11', username: 'gil', files: ['//depot/a/c'] }),
    ])
    expect(calls()).toContain(`${connection} describe -s 12 11`)
    expect(calls().join()).toContain('//cairn-0123456789abcdef/...@11,@12')
  })

  it('has the changes of its view, and no other', async () => {
    const { source, calls } = await standIn(p4(false), { changes: P4_CHANGES })
    const { source: empty } = await standIn(p4(false), { changes: '' })

    expect(await source.find('12')).toBe('12')
    expect(calls().join()).toContain('//cairn-0123456789abcdef/...@12,@12')
    expect(await empty.find('13')).toBe(null)
    expect(await source.find('12,@99')).toBe(null)
  })
})

describe('the client of tfs (a stand-in with recorded answers)', () => {
  const server = '-collection:http://tfs:8080/c -login:CORP\\ana,geheim -noprompt'

  it('is asked for the newest changeset', async () => {
    const { source, calls } = await standIn(TFS, { history: TF_HISTORY })

    expect(await source.newest()).toBe('9')
    expect(calls()).toEqual([
      `tf history $/proj -recursive -format:detailed -stopafter:1 ${server}`,
      'LC_ALL=C.UTF-8',
    ])
  })

  it('lists the changesets between two, with their items', async () => {
    const { source, calls } = await standIn(TFS, { history: TF_HISTORY })

    const changes = await source.changes({ after: '7', upTo: '9' })

    expect(changes).toEqual([
      {
        revision: '9',
        username: 'CORP\\ana',
        time: new Date(2013, 1, 28, 10, 11, 12).getTime(),
        comment: expect.stringContaining('fix: the build'),
        files: ['$/proj/src/a b.c', '$/proj/doc/x.txt'],
      },
      expect.objectContaining({ revision: '8', comment: '', files: ['$/proj/c'] }),
    ])
    expect(calls().join()).toContain('-version:C8~C9')
  })

  it('has the changesets of its path, and no other', async () => {
    const { source, calls } = await standIn(TFS, { history: TF_HISTORY })

    expect(await source.find('9')).toBe('9')
    expect(calls().join()).toContain('-version:C9~C9')
    expect(await source.find('10')).toBe(null)
    expect(await source.find('T')).toBe(null)
  })
})

describe('a p4 port', () => {
  it.each(['rsh:1666', 'JSH:1', '-z:1'])(
    'that is no host and port is refused: %s',
    async (port) => {
      const described = element('p4', { port }, [element('view', {}, ['//depot/... //c/...'])])

      await expect(standIn(described, {})).rejects.toThrow('is not a host and a port')
    },
  )
})

describe('a client that is not installed', () => {
  it('is named', async () => {
    const home = tempDir()
    await using tools = new Tools({ environment: { PATH: home }, timeout: 1_000 })
    const source = await openSource(materialOf(TFS), {
      tools,
      folder: home,
      password: null,
      local: allowing(home),
    })

    await expect(source.newest()).rejects.toThrow('tf: it is not installed')
  })
})
