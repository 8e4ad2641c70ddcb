import { describe, expect, it } from 'vitest'
import { renderChange } from '../../../../src/config/changes/render-change.ts'
import { summariseChanges } from '../../../../src/config/changes/summarise-changes.ts'
import { readXml } from '../../../../src/config/xml-reader.ts'
import { xmlDocument } from '../../../support/xml-documents.ts'

const JOB =
  '<job name="unit" timeout="45"><tasks><exec command="npm"><arg>ci</arg></exec><exec command="npm"><arg>test</arg></exec></tasks><resources><resource>linux</resource></resources></job>'
const STAGE = `<stage name="test"><jobs>${JOB}</jobs></stage>`
const MATERIALS = '<materials><git url="https://example.org/shop.git" /></materials>'
const VARIABLES =
  '<environmentvariables><variable name="REGION"><value>eu-1</value></variable></environmentvariables>'
const SHOP = `<pipeline name="shop">${VARIABLES}${MATERIALS}${STAGE}</pipeline>`

const ADMINS = '<admins><user>ana</user></admins>'
const ROLES = '<roles><role name="ops"><users><user>bob</user></users></role></roles>'
const SERVER = `<server jobTimeout="5" agentAutoRegisterKey="k1"><security>${ROLES}${ADMINS}</security></server>`
const GROUP = `<pipelines group="web"><authorization><view><user>eve</user></view></authorization>\n${SHOP}\n</pipelines>`
const TEMPLATES = `<templates><pipeline name="base">${STAGE}</pipeline></templates>`
const ENVIRONMENTS =
  '<environments><environment name="live"><pipelines><pipeline name="shop" /></pipelines></environment></environments>'
const AGENTS =
  '<agents><agent hostname="box1" ipaddress="10.0.0.1" uuid="u1"><resources><resource>linux</resource></resources></agent></agents>'
const DOCUMENT = `<cruise schemaVersion="75">${SERVER}\n${GROUP}\n${TEMPLATES}\n${ENVIRONMENTS}\n${AGENTS}\n</cruise>`

/** Each change in words, with its entity, after replacing a part of the document. */
function toldAfter(...replacements: readonly (readonly [from: string, to: string])[]): string[] {
  const after = replacements.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }, DOCUMENT)
  return told(DOCUMENT, after)
}

function told(before: string, after: string): string[] {
  const changes = summariseChanges(xmlDocument(before), xmlDocument(after))
  return changes.map((change) => `${change.entity} ${change.kind}: ${renderChange(change)}`)
}

function manyAgents(ip: string): string {
  const agents = Array.from(
    { length: 1_500 },
    (_, at) => `<agent uuid="${at}" ipaddress="${ip}" />`,
  )
  return `<cruise><agents>${agents.join('')}</agents></cruise>`
}

function jobsOf(timeout: string): string {
  const jobs = Array.from(
    { length: 8 },
    (_, at) => `\n<job name="j${at}" timeout="${timeout}${at % 7}" />`,
  )
  return jobs.join('')
}

describe('the summary of what changed', () => {
  it.each<[what: string, from: string, to: string, expected: string[]]>([
    [
      'an attribute of a job',
      'timeout="45"',
      'timeout="60"',
      ['pipeline/shop changed: stage test › job unit: timeout 45 → 60'],
    ],
    [
      'an attribute that is set or not',
      ' timeout="45"',
      '',
      ['pipeline/shop changed: stage test › job unit: timeout 45 → unset'],
    ],
    [
      'the value of a variable',
      'eu-1',
      'eu-2',
      ['pipeline/shop changed: variable REGION: value eu-1 → eu-2'],
    ],
    [
      'a variable that is new',
      '</variable>',
      '</variable><variable name="CART"><value>x</value></variable>',
      ['pipeline/shop added: add variable CART'],
    ],
    [
      'a command',
      '<arg>ci</arg>',
      '<arg>ci</arg><arg>--offline</arg>',
      ['pipeline/shop changed: stage test › job unit: task npm ci → npm ci --offline'],
    ],
    [
      'a task that is new',
      '<exec command="npm"><arg>test</arg></exec>',
      '<exec command="npm"><arg>run</arg><arg>a b</arg></exec><exec command="npm"><arg>test</arg></exec>',
      ["pipeline/shop added: stage test › job unit: add task “npm run 'a b'”"],
    ],
    [
      'tasks in another order',
      '<exec command="npm"><arg>ci</arg></exec><exec command="npm"><arg>test</arg></exec>',
      '<exec command="npm"><arg>test</arg></exec><exec command="npm"><arg>ci</arg></exec>',
      ['pipeline/shop reordered: stage test › job unit: move task “npm ci”'],
    ],
    [
      'a resource in place of another',
      '<resource>linux</resource>',
      '<resource>docker</resource>',
      [
        'pipeline/shop removed: stage test › job unit: remove resource linux',
        'pipeline/shop added: stage test › job unit: add resource docker',
      ],
    ],
    [
      'a job under another name',
      'job name="unit"',
      'job name="fast"',
      ['pipeline/shop renamed: stage test: rename job unit → fast'],
    ],
    [
      'a stage that is gone',
      STAGE,
      '<stage name="build"><jobs><job name="x" /></jobs></stage>',
      ['pipeline/shop removed: remove stage test', 'pipeline/shop added: add stage build'],
    ],
    [
      'a material that points elsewhere',
      'shop.git',
      'store.git',
      [
        'pipeline/shop changed: material git https://example.org/store.git: url https://example.org/shop.git → https://example.org/store.git',
      ],
    ],
    [
      'a material of another kind',
      '<git url="https://example.org/shop.git" />',
      '<hg url="https://example.org/shop" />',
      [
        'pipeline/shop removed: remove material git https://example.org/shop.git',
        'pipeline/shop added: add material hg https://example.org/shop',
      ],
    ],
    [
      'a timer',
      MATERIALS,
      `<timer>0 0 22 ? * *</timer>${MATERIALS}`,
      ['pipeline/shop added: add timer (0 0 22 ? * *)'],
    ],
    [
      'an approval and who may give it',
      '<stage name="test">',
      '<stage name="test"><approval type="manual"><authorization><role>ops</role></authorization></approval>',
      ['pipeline/shop added: stage test: add approval'],
    ],
    [
      'an artifact and a tab',
      '<resources>',
      '<artifacts><artifact src="out/*" /></artifacts><tabs><tab name="log" path="x" /></tabs><resources>',
      [
        'pipeline/shop added: stage test › job unit: add artifact out/*',
        'pipeline/shop added: stage test › job unit: add tab log',
      ],
    ],
    [
      'who may see a group',
      '<user>eve</user>',
      '<user>eve</user><role>ops</role>',
      ['group/web added: add view permission of role ops'],
    ],
    [
      'a user of a role',
      '<user>bob</user>',
      '<user>bo</user>',
      ['role/ops removed: remove user bob', 'role/ops added: add user bo'],
    ],
    [
      'an administrator',
      ADMINS,
      '<admins><user>ana</user><role>ops</role></admins>',
      ['role/ops added: add administrator role ops'],
    ],
    ['the server', 'jobTimeout="5"', 'jobTimeout="6"', ['server changed: jobTimeout 5 → 6']],
    [
      'a pipeline in an environment',
      '<pipeline name="shop" /></pipelines></environment>',
      '</pipelines></environment>',
      ['environment/live removed: remove pipeline shop'],
    ],
    [
      'an agent',
      'uuid="u1"',
      'uuid="u1" isDisabled="true"',
      ['agent/u1 changed: isDisabled unset → true'],
    ],
    [
      'an agent on another host',
      'hostname="box1"',
      'hostname="box2"',
      ['agent/u1 renamed: rename agent box1 → box2'],
    ],
    [
      'a template',
      '<templates><pipeline name="base">',
      '<templates><pipeline name="old"><stage name="s" /></pipeline><pipeline name="base">',
      ['template/old added: add template old'],
    ],
    [
      'the version',
      'schemaVersion="75"',
      'schemaVersion="76"',
      ['document changed: schemaVersion 75 → 76'],
    ],
    [
      'a pipeline under another name',
      '<pipeline name="shop"><env',
      '<pipeline name="store"><env',
      ['pipeline/store renamed: rename pipeline shop → store'],
    ],
    [
      'a name in another case',
      '<pipeline name="shop"><env',
      '<pipeline name="Shop"><env',
      ['pipeline/Shop renamed: rename pipeline shop → Shop'],
    ],
    [
      'a group under another name',
      'group="web"',
      'group="shopfront"',
      ['group/shopfront renamed: rename group web → shopfront'],
    ],
    [
      'a pipeline in another group',
      `${SHOP}\n</pipelines>`,
      `</pipelines><pipelines group="new">${SHOP}</pipelines>`,
      ['pipeline/shop changed: group web → new', 'group/new added: add group new'],
    ],
    [
      'order of attributes and quoting',
      'hostname="box1" ipaddress="10.0.0.1"',
      `ipaddress='10.0.0.1' hostname="box1"`,
      ['agent/u1 reformatted: layout only'],
    ],
    [
      'a comment in a pipeline',
      '<stage',
      '<!-- fast --><stage',
      ['pipeline/shop reformatted: comments only'],
    ],
    [
      'white space between entities',
      '\n<agents>',
      '\n\n\n<agents>',
      ['document reformatted: layout only'],
    ],
    [
      'a comment outside of all',
      '<agents>',
      '<!-- ours --><agents>',
      ['document reformatted: comments only'],
    ],
  ])('names %s', (_, from, to, expected) => {
    expect(toldAfter([from, to])).toEqual(expected)
  })

  it('follows a pipeline that is renamed, changed and moved at once', () => {
    const old = `<pipeline name="a"><stage name="s"><jobs>${jobsOf('1')}</jobs></stage></pipeline>`
    const renamed = old.replace('"a"', '"b"').replace('timeout="16"', 'timeout="99"')
    const before = `<cruise><pipelines group="x">${old}</pipelines><pipelines group="y"></pipelines></cruise>`
    const after = `<cruise><pipelines group="x"></pipelines><pipelines group="y">${renamed}</pipelines></cruise>`

    expect(told(before, after)).toEqual([
      'pipeline/b renamed: rename pipeline a → b',
      'pipeline/b changed: group x → y',
      'pipeline/b changed: stage s › job j6: timeout 16 → 99',
    ])
  })

  it('shows no secret in any value', () => {
    const secrets = [
      '<svn url="https://u:hunter2@example.org" username="u" password="hunter2" encryptedPassword="AES:x:hunter2" />',
      '<variable name="S" secure="true"><encryptedValue>hunter2</encryptedValue></variable>',
      '<variable name="T" secure="true"><value>hunter2</value></variable>',
      '<variable name="U" secure="true">hunter2</variable>',
      '<property><key secure="true">p</key><value>hunter2</value></property>',
      '<ldap managerPassword="hunter2" encryptedManagerPassword="hunter2" />',
      '<server webhookSecret="hunter2" tokenGenerationKey="hunter2" agentAutoRegisterKey="hunter2" />',
      '<exec command="curl"><arg>https://u:hunter2@example.org</arg></exec>',
    ].map((element) => `<x>${element}</x>`)
    const document = `<cruise>${secrets.join('')}</cruise>`
    const other = xmlDocument(document.replaceAll('hunter2', 'swordfish'))
    const none = xmlDocument('<cruise></cruise>')
    const changes = [
      ...summariseChanges(xmlDocument(document), other),
      ...summariseChanges(other, none),
      ...summariseChanges(none, other),
    ]

    expect(changes.length).toBeGreaterThan(10 + 2 * secrets.length - 1)
    expect(JSON.stringify(changes)).not.toMatch(/hunter2|swordfish/)
    expect(changes.filter(({ from, to }) => [from, to].join().includes('hidden'))).not.toEqual([])
  })

  it('points to the lines in both texts', () => {
    const [change] = summariseChanges(
      xmlDocument(DOCUMENT),
      xmlDocument(DOCUMENT.replace('<server', '\n\n<server').replace('10.0.0.1', '10.0.0.2')),
    )

    expect(change).toMatchObject({ before: { first: 7, last: 7 }, after: { first: 9, last: 9 } })
  })

  it('shows where two long values differ, and the same ones that differ in white space', () => {
    const long = 'x'.repeat(500)
    const [change] = summariseChanges(
      xmlDocument(`<cruise a="${long}1${long}" b="p q" />`),
      xmlDocument(`<cruise a="${long}2${long}" b="p  q" />`),
    )

    expect(change?.from).toMatch(/^…x{26}1x+…$/)
    expect(change?.to).toMatch(/^…x{26}2x+…$/)
  })

  it('calls the first configuration so and names all that is in it', () => {
    const changes = summariseChanges(null, xmlDocument(DOCUMENT))

    expect(changes.map(renderChange).slice(0, 3)).toEqual([
      'add configuration (8 lines)',
      'add pipeline shop',
      'add template base',
    ])
    expect(changes.every(({ kind }) => kind === 'added')).toBe(true)
  })

  it('says so when a text cannot be compared', () => {
    const broken = readXml(Buffer.from('<cruise>\n<a></cruise>'))

    const changes = summariseChanges(broken, xmlDocument(DOCUMENT))

    expect(changes.map(renderChange)).toEqual([
      expect.stringMatching(/^text unreadable at line 2: .* → readable$/),
    ])
  })

  it('tells a document that was laid out anew as one thing', () => {
    const agents = Array.from(
      { length: 30 },
      (_, at) => `<agent hostname="h${at}" uuid="u${at}" />`,
    )
    const before = `<cruise>${agents.join('')}</cruise>`

    expect(told(`<cruise><agents>${before}</agents></cruise>`, before)).not.toEqual([])
    expect(
      told(
        `<cruise><agents>${agents.join('')}</agents></cruise>`,
        `<cruise><agents>${agents.join('').replaceAll(' />', '/>')}</agents></cruise>`,
      ),
    ).toEqual(['document reformatted: layout only'])
  })

  it('stops telling details where everything is otherwise', () => {
    const changes = told(manyAgents('1.1.1.1'), manyAgents('1.1.1.2'))

    expect(changes).toHaveLength(1_500)
    expect(changes[0]).toBe('agent/0 changed: ipaddress 1.1.1.1 → 1.1.1.2')
    expect(changes.at(-1)).toBe('agent/1499 changed: content changed')
  })
})
