import { describe, expect, it } from 'vitest'
import {
  ADMINS,
  DOCUMENT,
  MATERIALS,
  SHOP,
  STAGE,
  told,
  toldAfter,
} from '../../../support/documents/summaries.ts'

/** The document with this many variables of one value in its pipeline. */
function withVariables(count: number, value: string): string {
  const each = (n: number) => `<variable name="V${n}"><value>${value}</value></variable>`
  const variables = Array.from({ length: count }, (_, n) => each(n)).join('\n')
  return DOCUMENT.replace(/<variable name="REGION">.*?<\/variable>/, () => variables)
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
      'agents of an environment by their hosts, where the document has them',
      '<environment name="live">',
      '<environment name="live"><agents><physical uuid="u1" /><physical uuid="u9" /></agents>',
      ['environment/live added: add agent box1', 'environment/live added: add agent u9'],
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

  it('ends in one change for the rest of an entity that has too many', () => {
    const changes = told(withVariables(1_500, 'a'), withVariables(1_500, 'b'))

    expect(changes).toHaveLength(1_001)
    expect(changes.at(-1)).toBe('pipeline/shop changed: variable V999: value a → b')
    expect(changes).toContain('pipeline/shop changed: content changed')
  })

  it('is one change for an entity of more parts than anybody reads', () => {
    const [before, after] = [withVariables(5_001, 'a'), withVariables(5_001, 'b')]

    expect(told(before, after)).toEqual(['pipeline/shop changed: content changed'])
    expect(told(before, before.replace('jobTimeout="5"', 'jobTimeout="6"'))).toEqual([
      'server changed: jobTimeout 5 → 6',
    ])
  })
})
