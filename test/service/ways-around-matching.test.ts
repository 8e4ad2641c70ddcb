// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import {
  edited,
  GUARDED,
  guardedParts,
  OTHER_GOAL,
  pipelineText,
  TWO_EYES,
} from '../support/gate/guarded-document.ts'
import { GuardedService } from '../support/gate/guarded-service.ts'

const BILL = pipelineText('bill')
const SHIP = pipelineText('ship')
const SHOP = pipelineText('shop')

function without(text: string, document = GUARDED): string {
  return edited(text, '', document)
}

/** Moves whole lines in front of others. */
function moved(text: string, before: string): string {
  return edited(before, text + before, without(text))
}

function swapped(one: string, other: string): string {
  return GUARDED.replaceAll(`name="${one}"`, 'name="between"')
    .replaceAll(`name="${other}"`, `name="${one}"`)
    .replaceAll('name="between"', `name="${other}"`)
}

const deployTask = (to: string) => edited(/<arg>deploy</, to)

/** Saves by an administrator of the server that change what the guarded pipelines are or do. */
const SEEN: readonly (readonly [way: string, document: string])[] = [
  ['another value of a param', OTHER_GOAL],
  ['a rename of the pipeline', edited('name="bill"', 'name="bell"')],
  ['a rename in the case of letters', edited('name="bill"', 'name="Bill"')],
  ['a rename with a change inside', edited('name="bill"', 'name="bell"', OTHER_GOAL)],
  ['a move into another group', moved(BILL, SHOP)],
  [
    'a move into another group with a change inside',
    edited(BILL, pipelineText('bill', OTHER_GOAL), moved(BILL, SHOP)),
  ],
  ['a move out of another group', moved(SHOP, BILL)],
  ['a swap of names with a pipeline of another group', swapped('bill', 'shop')],
  [
    'a swap of names inside the group',
    GUARDED.replace('name="bill"', 'name="x"')
      .replace('name="ship"', 'name="bill"')
      .replace('name="x"', 'name="ship"')
      .replace('        <pipeline name="ship" />\n', '        <pipeline name="bill" />\n'),
  ],
  ['a rename of the group', edited('<pipelines group="pay">', '<pipelines group="salary">')],
  [
    'a rename of the group in the case of letters',
    edited('<pipelines group="pay">', '<pipelines group="PAY">'),
  ],
  [
    'a rename of the group with a change inside',
    edited('<pipelines group="pay">', '<pipelines group="salary">', OTHER_GOAL),
  ],
  [
    'a swap of the names of two groups',
    GUARDED.replace('group="pay"', 'group="x"')
      .replace('group="web"', 'group="pay"')
      .replace('group="x"', 'group="web"'),
  ],
  ['the end of the pipeline', without(BILL)],
  [
    'the end of the pipeline, and another one of its name elsewhere',
    edited(SHOP, SHOP + SHOP.replace('name="shop"', 'name="bill"'), without(BILL)),
  ],
  [
    'the end of all pipelines of the group',
    edited(
      / *<pipelines>\n *<pipeline name="ship" \/>\n *<\/pipelines>\n/,
      '',
      without(SHIP, without(BILL)),
    ),
  ],
  [
    'the end of the group',
    edited(/  <pipelines group="pay">[^]*?<\/pipelines>\n/, '').replace(
      / *<pipelines>\n *<pipeline name="ship" \/>\n *<\/pipelines>\n/,
      '',
    ),
  ],
  [
    'another pipeline in the group',
    edited(SHIP, SHIP + SHOP.replace('name="shop"', 'name="shop-2"')),
  ],
  ['another order of the pipelines', edited(BILL + SHIP, SHIP + BILL)],
  [
    'a timer',
    edited(
      '</params>\n      <environmentvariables>',
      '</params>\n      <timer>0 0 22 ? * MON-FRI</timer>\n      <environmentvariables>',
    ),
  ],
  ['a comment', edited('      <params>\n', '      <!-- why -->\n      <params>\n')],
  ['white space', edited('        <param name="goal"', '         <param name="goal"')],
  ['other quotes', edited('<param name="goal">', "<param name='goal'>")],
  ['the same text as a section', edited('>all<', '><![CDATA[all]]><')],
  ['a character by its number', edited('>all<', '>&#97;ll<')],
  [
    'another indentation of the whole document',
    GUARDED.replaceAll(/^ +/gm, (spaces) => spaces + spaces),
  ],
  ['line feeds of another system', GUARDED.replaceAll('\n', '\r\n')],
  [
    'a change among many others',
    OTHER_GOAL.replaceAll('shop.git', 'x.git').replace('hostname="box"', 'hostname="y"'),
  ],
  [
    'a user with rights in the group',
    edited(
      '<user>abe</user>\n        <role>',
      '<user>abe</user>\n        <user>will</user>\n        <role>',
    ),
  ],
  [
    'a user without a right in the group',
    edited('        <user>vic</user>\n        <user>will</user>\n', '        <user>will</user>\n'),
  ],
  ['the end of all rights in the group', edited(/    <authorization>[^]*?<\/authorization>\n/, '')],
  ['a task of the template', deployTask('<arg>steal<')],
  [
    'another stage of the template',
    edited(
      /(?<=<arg>deploy<[^]*?<\/stage>\n)/,
      '      <stage name="more">\n        <jobs>\n          <job name="unit">\n            <tasks>\n              <exec command="ls" />\n            </tasks>\n          </job>\n        </jobs>\n      </stage>\n',
    ),
  ],
  [
    'a template in the place of another one',
    edited('name="ship" template="deploy"', 'name="ship" template="other"'),
  ],
  ['a swap of the names of two templates', swapped('deploy', 'other')],
  [
    'a rename of the template',
    swapped('deploy', 'released').replaceAll('template="deploy"', 'template="released"'),
  ],
  [
    'the stages of the template in its place',
    edited(
      SHIP,
      SHIP.replace(' template="deploy"', '').replace(
        '    </pipeline>',
        `${/(?<=<templates>[^]*?)      <stage[^]*?<\/stage>\n/.exec(GUARDED)?.[0] ?? ''}    </pipeline>`,
      ),
    ),
  ],
  ['a variable of the environment', edited('<value>eu<', '<value>us<')],
  [
    'another variable of the environment',
    edited(
      '<environmentvariables>\n        <variable name="REGION">',
      '<environmentvariables>\n        <variable name="MORE">\n          <value>1</value>\n        </variable>\n        <variable name="REGION">',
    ),
  ],
  [
    'an agent of the environment',
    edited(
      '</environmentvariables>\n      <pipelines>',
      '</environmentvariables>\n      <agents>\n        <physical uuid="u1" />\n      </agents>\n      <pipelines>',
    ),
  ],
  ['a rename of the environment', edited('<environment name="live">', '<environment name="prod">')],
  ['the end of the environment', edited(/    <environment name="live">[^]*?<\/environment>\n/, '')],
  ['a way out of the environment', edited('        <pipeline name="ship" />\n', '')],
  [
    'a way into another environment',
    edited(
      '        <pipeline name="shop" />\n',
      '        <pipeline name="shop" />\n        <pipeline name="bill" />\n',
    ),
  ],
  ['the configuration of a package', edited('<value>package<', '<value>else<')],
  ['the address of a repository of packages', edited('<value>packages<', '<value>else<')],
  ['the configuration of an scm', edited('<value>plugged<', '<value>else<')],
  ['a profile of agents', edited('<value>alpine<', '<value>else<')],
  [
    'a profile of the cluster of agents',
    edited('https://swarm.example.org', 'https://else.example.org'),
  ],
  [
    'another cluster of agents',
    edited(
      'clusterProfileId="swarm"',
      'clusterProfileId="else"',
      edited(
        '    </clusterProfiles>',
        '      <clusterProfile id="else" pluginId="swarm-plugin" />\n    </clusterProfiles>',
      ),
    ),
  ],
  ['a source of secrets', edited('pluginId="file"', 'pluginId="else"')],
]

/** Rules that speak of a part, and changes of that part that do not name it. */
const PARTS: readonly (readonly [way: string, rule: string, document: string])[] = [
  [
    'a param in an address where the rule names materials',
    'match: { entity: pipeline/bill, path: materials }',
    edited('>bill</param>', '>evil</param>'),
  ],
  [
    'a param in a task where the rule names the task',
    'match: { entity: pipeline/bill, path: stage build }',
    OTHER_GOAL,
  ],
  [
    'a param in a task where the rule names tasks',
    'match: { entity: pipeline/bill, path: tasks }',
    OTHER_GOAL,
  ],
  [
    'a template where the rule names tasks',
    'match: { entity: pipeline/ship, path: tasks }',
    deployTask('<arg>steal<'),
  ],
  [
    'another template where the rule names a stage',
    'match: { entity: pipeline/ship, path: stage build }',
    edited('name="ship" template="deploy"', 'name="ship" template="other"'),
  ],
  [
    'a rename where the rule names materials',
    'match: { entity: pipeline/bill, path: materials }',
    edited(
      'bill.git',
      'x.git',
      edited('name="bill"', 'name="bell"').replace('#{source}.git', 'bill.git'),
    ),
  ],
  [
    'a new name where the rule names the former one',
    'match: { entity: pipeline/bill }',
    edited('name="bill"', 'name="bell"'),
  ],
  [
    'a former name where the rule names the new one',
    'match: { entity: pipeline/bell }',
    edited('name="bill"', 'name="bell"'),
  ],
  [
    'a rename where the rule is about changes',
    'match: { entity: pipeline/bill, change: changed }',
    edited('name="bill"', 'name="bell"', OTHER_GOAL),
  ],
  [
    'a rename where the rule is about the end',
    'match: { entity: pipeline/bill, change: removed }',
    edited('name="bill"', 'name="bell"'),
  ],
  [
    'a rename where the rule is about new ones',
    'match: { entity: pipeline/bell, change: added }',
    edited('name="bill"', 'name="bell"'),
  ],
  [
    'a move out where the rule is about the end',
    'match: { entity: pipeline in group/pay, change: removed }',
    moved(BILL, SHOP),
  ],
  [
    'a move in where the rule is about new ones',
    'match: { entity: pipeline in group/pay, change: added }',
    moved(SHOP, BILL),
  ],
  [
    'rights by a rename of the group',
    'match: { entity: group/pay, path: authorization }',
    edited(
      '<user>abe</user>\n        <role>',
      '<user>will</user>\n        <role>',
      edited('group="pay"', 'group="salary"'),
    ),
  ],
  [
    'all rights at once',
    'match: { entity: group/pay, path: authorization }',
    edited(/    <authorization>[^]*?<\/authorization>\n/, ''),
  ],
  [
    'a comment with a change',
    'match: { entity: pipeline/bill }\n    unless: { only: [comment, layout] }',
    edited('      <params>\n', '      <!-- why -->\n      <params>\n', OTHER_GOAL),
  ],
  [
    'a stage that becomes a comment',
    'match: { entity: pipeline/bill }\n    unless: { only: [comment, layout] }',
    edited(
      /            <artifacts>[^]*?<\/artifacts>\n/,
      '            <!-- <artifacts><artifact type="build" src="out" /></artifacts> -->\n',
    ),
  ],
  [
    'what runs in an environment by its template',
    'match: { entity: environment/live and what runs in it }',
    deployTask('<arg>steal<'),
  ],
  [
    'what runs in an environment by leaving it',
    'match: { entity: environment/live and what runs in it }',
    edited('        <pipeline name="ship" />\n', '').replace('ship.git', 'x.git'),
  ],
  [
    'what runs in an environment by a rename',
    'match: { entity: environment/live and what runs in it }',
    edited('name="ship" template', 'name="shop-2" template').replace(
      '        <pipeline name="ship" />',
      '        <pipeline name="shop-2" />',
    ),
  ],
  [
    'what comes to run in an environment',
    'match: { entity: environment/live and what runs in it }',
    edited(
      '        <pipeline name="ship" />\n',
      '        <pipeline name="ship" />\n        <pipeline name="bill" />\n',
    ),
  ],
  ['a name in other letters', 'match: { entity: pipeline/BILL }', OTHER_GOAL],
  ['a pattern', 'match: { entity: "pipeline/b*" }', OTHER_GOAL],
  [
    'a role by its members',
    'match: { entity: role/* }',
    edited('<user>sue</user>', '<user>sue</user>\n            <user>will</user>'),
  ],
  [
    'an administrator of the server',
    'match: { entity: user/* }',
    edited('<user>rick</user>', '<user>will</user>'),
  ],
  ['an agent', 'match: { entity: agent/* }', edited('hostname="box"', 'hostname="x"')],
  [
    'what no rule names by its entity',
    'match: { door: put }',
    edited('</cruise>', '<!-- end -->\n</cruise>'),
  ],
]

function ruleOf(match: string): string {
  return `version: 1\nrules:\n  - name: two-eyes\n    ${match}\n    effect: deny\n`
}

/** Texts that are no reason. */
const NO_REASONS: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['white space', ' %20%09%0A '],
  ['characters that nobody sees', '%E2%80%8B%E2%80%8D%EF%BB%BF'],
  ['marks of direction', '%E2%80%8E%E2%80%AE'],
  ['a trailer', 'Signed-off-by:%20ann'],
  ['trailers alone', 'Approved-by:%20abe%20d1%0AProposal:%201'],
  ['a letter without a form', '%E3%85%A4'],
]

describe('the gate sees', () => {
  const opened = shared(() => GuardedService.open())

  it('documents that are saved without rules', { timeout: 240_000 }, async () => {
    const guarded = opened()
    const found: string[] = []
    for (const [way, document] of [
      ...SEEN,
      ...PARTS.map(([name, , saved]) => [name, saved] as const),
    ]) {
      const { status, text } = await guarded.put(document)
      if (status !== 200) found.push(`${way}: ${text}`)
    }
    await guarded.put(GUARDED)

    expect(found).toEqual([])
  })

  describe('with a rule about a group,', () => {
    beforeAll(() => opened().rules(TWO_EYES))

    it.each(SEEN)('%s', async (_way, document) => {
      const guarded = opened()
      const { status, text } = await guarded.put(document)
      const after = await guarded.document()
      await guarded.reset(TWO_EYES)

      expect([status, text]).toEqual([403, expect.stringContaining('The rule two-eyes ')])
      expect(guardedParts(after)).toBe(guardedParts(GUARDED))
    })
  })

  it.each(PARTS)('%s', async (_way, match, document) => {
    const guarded = opened()
    await guarded.rules(ruleOf(match))
    const { status, text } = await guarded.put(document)
    const after = await guarded.document()
    await guarded.reset(ruleOf(match))

    expect([status, text]).toEqual([403, expect.stringContaining('The rule two-eyes ')])
    expect(after).toBe(GUARDED)
  })

  it.each(NO_REASONS)('that %s is no reason', async (_way, message) => {
    const guarded = opened()
    const rules = ruleOf('match: { door: put }').replace(
      'effect: deny',
      'need: [{ reason: required }]',
    )
    await guarded.rules(rules)
    const { status } = await guarded.put(OTHER_GOAL, { headers: { 'x-cairn-message': message } })
    const after = await guarded.document()
    await guarded.reset(rules)

    expect([status, after]).toEqual([403, GUARDED])
  })
})
