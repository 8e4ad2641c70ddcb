// @module-tag long
import { expect, it } from 'vitest'
import { ProtocolAgent, KEY } from '../../support/agents/protocol-agent.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { makeEventfulHistory, timeOf } from '../../support/history/eventful-history.ts'
import { shared } from '../../support/programs/at-end.ts'
import { McpClient } from '../../support/service/mcp-client.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'
import { makeToken } from '../../support/service/tokens.ts'

const MAX_CALLS = 5
/** Time to read 5,000 revisions on a busy machine. */
const INDEXING = { timeout: 280_000, interval: 500 }

type Call = readonly [tool: string, given: Readonly<Record<string, unknown>>]

/** A question, the calls that an assistant makes for it, and what it finds in the answers, in their order. */
interface Question {
  readonly asks: string
  readonly calls: readonly Call[]
  readonly finds: readonly (string | RegExp)[]
}

const CHECKOUT = 'pipeline/checkout'
const REVERTED =
  '<pipeline name="checkout"><materials><git url="https://git.example.org/moved.git"/></materials><stage name="build"><jobs><job name="compile"><tasks><exec command="make"/></tasks></job></jobs></stage></pipeline>'

const QUESTIONS: readonly Question[] = [
  {
    asks: 'who broke checkout by calling make-tset',
    calls: [['search', { text: 'make-tset' }]],
    finds: [/"username":"mallory".*"number":1200/],
  },
  {
    asks: 'who mended that',
    calls: [['search', { text: 'make-tset' }]],
    finds: [/"username":"frank".*"number":1210/],
  },
  {
    asks: 'how long it was broken',
    calls: [['search', { text: 'make-tset' }]],
    finds: [`"time":${Date.parse(timeOf(1210))}`, `"time":${Date.parse(timeOf(1200))}`],
  },
  {
    asks: 'what else mallory has ever changed',
    calls: [['history', { user: 'mallory' }]],
    finds: [/^\{[^\n]*"number":1200[^\n]*\}\n$/],
  },
  {
    asks: 'what exactly mallory changed',
    calls: [['revision', { revision: 'r1200' }]],
    finds: ['stage build › job compile: task make → make-tset'],
  },
  {
    asks: 'what changed in checkout between two dates',
    calls: [['changes', { from: timeOf(1195), to: timeOf(1205), entity: CHECKOUT }]],
    finds: ['task make → make-tset'],
  },
  {
    asks: 'what changed at all between two dates',
    calls: [['changes', { from: timeOf(3299), to: timeOf(3301) }]],
    finds: ['add environment prod'],
  },
  {
    asks: 'where the region eu-west-1 vanished',
    calls: [['search', { text: 'eu-west-1', limit: 1 }]],
    finds: [/"username":"dave".*"number":2500/],
  },
  {
    asks: 'from where the region was taken',
    calls: [['revision', { revision: 'r2500' }]],
    finds: ['"entity":"pipeline/shipping"', 'remove variable REGION'],
  },
  {
    asks: 'when a region came back, and which one',
    calls: [
      ['search', { text: 'name="REGION"', limit: 1 }],
      ['entity', { kind: 'pipeline', name: 'shipping', at: 'r4800' }],
    ],
    finds: [/"number":4800/, 'us-east-1'],
  },
  {
    asks: 'who removed the pipeline legacy',
    calls: [['history', { entity: 'pipeline/legacy', limit: 1 }]],
    finds: [/"username":"bob".*"number":1500/],
  },
  {
    asks: 'how legacy looked before it went',
    calls: [['entity', { kind: 'pipeline', name: 'legacy', at: 'r1499' }]],
    finds: ['https://git.example.org/legacy.git'],
  },
  {
    asks: 'what has become of the pipeline billing',
    calls: [
      ['history', { changed: 'renamed', kind: 'pipeline' }],
      ['revision', { revision: 'r2000' }],
    ],
    finds: [/"number":2000/, 'rename pipeline billing → invoicing'],
  },
  {
    asks: 'who changed invoicing last while it was billing',
    calls: [['history', { entity: 'pipeline/invoicing', until: timeOf(1999), limit: 1 }]],
    finds: [/"username":"erin".*"number":1996/],
  },
  {
    asks: 'which pipelines were made since some day',
    calls: [['entities', { changed: 'created', kind: 'pipeline', since: timeOf(3500) }]],
    finds: ['"name":"trial"', '"name":"payments"'],
  },
  {
    asks: 'which pipelines are gone',
    calls: [['entities', { changed: 'removed', kind: 'pipeline' }]],
    finds: [/"name":"trial".*"username":"erin"/, /"name":"legacy".*"username":"bob"/],
  },
  {
    asks: 'in which group search was',
    calls: [['entity', { kind: 'group', name: 'edge', at: 'r2999' }]],
    finds: ['<pipeline name="search"'],
  },
  {
    asks: 'who moved it',
    calls: [
      ['history', { entity: 'pipeline/search', q: 'group', limit: 1 }],
      ['revision', { revision: 'r3000' }],
    ],
    finds: [/"username":"erin".*"number":3000/, /edge.*core/],
  },
  {
    asks: 'who wrote the address of the repository of checkout',
    calls: [['blame', { revision: 'r5000', entity: CHECKOUT }]],
    finds: [/moved\.git[^\n]*"number":4000[^\n]*"username":"bob"/],
  },
  {
    asks: 'what that address was before',
    calls: [['changes', { from: 'r3999', to: 'r4000' }]],
    finds: ['https://git.example.org/checkout.git'],
  },
  {
    asks: 'who gave reports its first timer',
    calls: [['search', { text: '0 0 2 * * ?' }]],
    finds: [/"username":"ann".*"number":400,/],
  },
  {
    asks: 'when reports runs now, and since when',
    calls: [
      ['entity', { kind: 'pipeline', name: 'reports' }],
      ['search', { text: '0 0 4 * * ?' }],
    ],
    finds: ['<timer>0 0 4 * * ?</timer>', /"number":4400/],
  },
  {
    asks: 'when the environment prod came, and what ran in it then',
    calls: [
      ['history', { changed: 'created', kind: 'environment' }],
      ['entity', { kind: 'environment', name: 'prod', at: 'r3300' }],
    ],
    finds: [/"number":3300/, '<pipelines><pipeline name="web" /></pipelines>'],
  },
  {
    asks: 'who let payments into prod',
    calls: [['history', { entity: 'environment/prod', limit: 1 }]],
    finds: [/"username":"frank".*"number":3900/],
  },
  {
    asks: 'how often ann changed something on a day',
    calls: [['history', { user: 'ann', since: timeOf(2041), until: timeOf(2064) }]],
    finds: [/^(\{[^\n]*"username":"ann"[^\n]*\}\n){4}$/],
  },
  {
    asks: 'how the whole configuration looked on a day',
    calls: [
      ['history', { until: timeOf(1000), limit: 1 }],
      ['snapshot', { digest: 'of the revision before' }],
    ],
    finds: [/"number":1000/, '<pipeline name="legacy"'],
  },
  {
    asks: 'which pipelines fail now',
    calls: [['pipelines', {}]],
    finds: [/"name":"checkout".*Failed/],
  },
  {
    asks: 'what the failed run was made from',
    calls: [['run', { name: 'checkout', counter: 2 }]],
    finds: [/configuration: \{.*"number":5003\}/],
  },
  {
    asks: 'why it failed',
    calls: [['why', { name: 'checkout', from: 'last-passed', to: 2 }]],
    finds: ['task make → explode'],
  },
  {
    asks: 'whether taking the cause back would start or stop anything',
    calls: [['plan', { entity: CHECKOUT, xml: REVERTED }]],
    finds: ['task explode → make'],
  },
]

const opened = shared(async () => {
  const folder = tempDir()
  await makeEventfulHistory(folder)
  const service = await startService(['--auto-register-key', KEY], folder)
  const scene = BuildScene.over(service)
  const agent = await ProtocolAgent.join(service, 'a1')
  const current = await (await service.fetch('/api/admin/config.xml')).text()
  const local = current.replace(
    'url="https://git.example.org/moved.git"',
    `url="${scene.origin}" branch="main"`,
  )
  await save(service, local)
  await scene.schedule('checkout')
  await agent.finish(await agent.work(), 'Passed')
  const start = local.indexOf('<pipeline name="checkout"')
  const [before, rest] = [local.slice(0, start), local.slice(start)]
  await save(service, before + rest.replace('command="make"', 'command="explode"'))
  await scene.schedule('checkout')
  await agent.finish(await agent.work(), 'Failed')
  const { token } = await makeToken(service, 'read')
  return { service, client: await McpClient.open(service, token) }
})

it('has thirty questions, and reads its history', { timeout: 300_000 }, async () => {
  const { service } = opened()
  const isRead = async () => {
    const found = await service.fetch('/api/config/revisions?text=make-tset&limit=1')
    const traced = await service.fetch('/api/config/blame/r5000')
    return found.headers.get('x-cairn-indexed') === null && traced.ok
  }
  await expect.poll(isRead, INDEXING).toBe(true)

  expect(new Set(QUESTIONS.map(({ asks }) => asks)).size).toBe(30)
})

it.each(QUESTIONS)('a few calls say $asks', async ({ calls, finds }) => {
  const { client } = opened()
  const before = client.calls
  let last = ''
  let answers = ''
  for (const [tool, given] of calls) {
    const digest = /"md5":"([0-9a-f]{32})"/.exec(last)?.[1]
    last = await client.ask(tool, 'digest' in given ? { digest } : given)
    answers += last
  }

  expect(client.calls - before).toBeLessThanOrEqual(MAX_CALLS)
  for (const found of finds) expect(answers).toMatch(found)
})
