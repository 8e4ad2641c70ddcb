// @module-tag long
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RunComparisonBody } from '../../../src/wire/run-comparison-body.ts'
import { KEY, ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { jsonOf } from '../../support/builds/build-service.ts'
import { git } from '../../support/git/git.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const CASES = 200
const KINDS = [
  'material',
  'definition',
  'template',
  'parameter',
  'environment',
  'upstream',
  'resources',
  'tool',
  'secret',
] as const
type Kind = (typeof KINDS)[number]

/** One pipeline that passes, and fails after the thing of its kind has changed. */
interface Breakage {
  readonly n: number
  readonly kind: Kind
}

type Cause = RunComparisonBody['causes'][number]

const BREAKAGES: readonly Breakage[] = Array.from({ length: CASES }, (_, n) => ({
  n,
  kind: KINDS[n % KINDS.length] ?? 'material',
}))

/** The commits, changes of other things and agents that are no cause, and one that might be. */
function isMisleading({ n }: Breakage): boolean {
  return n % 20 === 7
}

const MAKE = { name: 'make', path: '/usr/bin/make', size: 100, modifiedAt: 1_700_000_000_000 }
const OTHER_MAKE = { ...MAKE, size: 120, modifiedAt: 1_795_000_000_000 }

/** The agents, with the kinds that they alone can run; the jobs of all others are for two alike. */
const AGENTS: Readonly<Record<string, (kind: Kind) => boolean>> = {
  first: (kind) => kind !== 'environment' && kind !== 'resources',
  placed: (kind) => kind === 'environment',
  equipped: (kind) => kind === 'resources',
}

function task(n: number, what: string): string {
  return `<exec command="make"><arg>${what}-${n}</arg></exec>`
}

function stagesOf({ n, kind }: Breakage): string {
  const argument = kind === 'parameter' ? '#{target}' : 'all'
  const resource = kind === 'resources' ? '<resources><resource>special</resource></resources>' : ''
  return `<stage name="build"><jobs><job name="unit">
        <tasks>${task(n, argument)}</tasks>${resource}
      </job></jobs></stage>
      <stage name="deploy"><approval type="manual" /><jobs><job name="ship">
        <tasks>${task(n, 'ship')}</tasks>
      </job></jobs></stage>`
}

function pipelineOf(breakage: Breakage, origin: string): string {
  const { n, kind } = breakage
  const isOfTemplate = kind === 'template'
  const material =
    kind === 'upstream'
      ? '<pipeline pipelineName="up" stageName="build" />'
      : `<git url="${origin}" branch="main" />`
  return `<pipeline name="p${n}" labeltemplate="\${COUNT}"${isOfTemplate ? ` template="t${n}"` : ''}>
      ${kind === 'parameter' ? `<params><param name="target">old${n}</param></params>` : ''}
      <environmentvariables>
        <variable name="FLAG${n}"><value>off</value></variable>
        <variable name="SECRET${n}" secure="true"><value>old-${n}</value></variable>
      </environmentvariables>
      <materials>${material}</materials>
      ${isOfTemplate ? '' : stagesOf(breakage)}
    </pipeline>`
}

function documentOf({ app, lib }: Record<'app' | 'lib', string>): string {
  const of = (kind: Kind) => BREAKAGES.filter((each) => each.kind === kind)
  const environments = of('environment').map(
    ({ n }) => `<environment name="e${n}">
      <environmentvariables><variable name="PLACE${n}"><value>old</value></variable></environmentvariables>
      <agents><physical uuid="placed" /></agents>
      <pipelines><pipeline name="p${n}" /></pipelines>
    </environment>`,
  )
  const special = `<environment name="special">
      <agents><physical uuid="equipped" /></agents>
      <pipelines>${of('resources')
        .map(({ n }) => `<pipeline name="p${n}" />`)
        .join('')}</pipelines>
    </environment>`
  const templates = of('template').map(
    (each) => `<pipeline name="t${each.n}">${stagesOf(each)}</pipeline>`,
  )
  const agents = [...Object.keys(AGENTS), 'second'].map((uuid) => {
    const resources = uuid === 'equipped' ? ['special', 'docker'] : []
    const own = resources.map((name) => `<resource>${name}</resource>`).join('')
    const inside = own === '' ? '' : `<resources>${own}</resources>`
    return `<agent hostname="host-${uuid}" ipaddress="127.0.0.1" uuid="${uuid}">${inside}</agent>`
  })
  return `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="75">
  <pipelines group="first">
    ${BREAKAGES.map((each) => pipelineOf(each, app)).join('\n    ')}
    <pipeline name="up">
      <materials><git url="${lib}" branch="main" /></materials>
      <stage name="build"><jobs><job name="unit"><tasks>${task(0, 'up')}</tasks></job></jobs></stage>
    </pipeline>
  </pipelines>
  <templates>${templates.join('\n    ')}</templates>
  <environments>${[...environments, special].join('\n    ')}</environments>
  <agents>${agents.join('\n    ')}</agents>
</cruise>
`
}

/** Breaks the pipeline in the document, unless its breakage is elsewhere. */
function broken(text: string, { n, kind }: Breakage): string {
  switch (kind) {
    case 'definition':
    case 'template':
      return text.replace(`<arg>all-${n}</arg>`, `<arg>everything-${n}</arg>`)
    case 'parameter':
      return text.replace(`>old${n}<`, `>new${n}<`)
    case 'environment':
      return text.replace(`"PLACE${n}"><value>old`, `"PLACE${n}"><value>new`)
    case 'secret': {
      const sealed = new RegExp(
        `("SECRET${n}" secure="true">)\\s*<encryptedValue>[^<]*</encryptedValue>`,
      )
      return text.replace(sealed, `$1<value>new-${n}</value>`)
    }
    case 'resources':
      return text.replace('<resource>docker</resource>', '')
    case 'material':
    case 'upstream':
    case 'tool':
      return text
  }
}

/** Changes beside that what no job sees of the pipeline, and in some what a job does see. */
function disturbed(text: string, breakage: Breakage): string {
  const { n } = breakage
  const label = n % 2 === 0 ? `<pipeline name="p${n}" labeltemplate="v\${COUNT}"` : null
  const named = label
    ? text.replace(`<pipeline name="p${n}" labeltemplate="\${COUNT}"`, label)
    : text
  const later = n % 3 === 0 ? named.replace(`ship-${n}<`, `ship-later-${n}<`) : named
  if (!isMisleading(breakage)) return later
  return later.replace(`"FLAG${n}"><value>off`, `"FLAG${n}"><value>on`)
}

/** Whether a cause is the one that broke the pipeline. */
function isTheCause({ n, kind }: Breakage, cause: Cause | undefined): boolean {
  const words: Record<Kind, readonly [Cause['kind'], string]> = {
    material: ['material', 'Break it'],
    definition: ['configuration', `everything-${n}`],
    template: ['configuration', `template t${n}`],
    parameter: ['configuration', 'param target'],
    environment: ['configuration', `PLACE${n}`],
    upstream: ['upstream', 'up/build'],
    resources: ['agent', 'docker'],
    tool: ['agent', 'program make'],
    secret: ['configuration', `SECRET${n}`],
  }
  const [of, text] = words[kind]
  return cause?.kind === of && cause.text.includes(text)
}

class World {
  readonly service: TestService
  readonly origins: Record<'app' | 'lib', string>
  readonly #agents = new Map<string, ProtocolAgent>()

  private constructor(service: TestService) {
    this.service = service
    this.origins = { app: originIn(service, 'app'), lib: originIn(service, 'lib') }
  }

  static async open(): Promise<World> {
    const world = new World(
      await startService(['--auto-register-key', KEY, '--material-interval', '500ms']),
    )
    await world.save(documentOf(world.origins))
    for (const uuid of [...Object.keys(AGENTS), 'second'])
      world.#agents.set(uuid, await ProtocolAgent.join(world.service, uuid))
    return world
  }

  async save(document: string): Promise<void> {
    const response = await save(this.service, document)
    if (!response.ok) throw new Error(await response.text())
  }

  async document(): Promise<string> {
    return (await this.service.fetch('/api/admin/config.xml')).text()
  }

  commit(origin: 'app' | 'lib', message: string): void {
    writeFileSync(join(this.origins[origin], 'file'), message)
    git(this.origins[origin], 'commit', '--quiet', '--all', '--message', message)
  }

  /** Lets the agents run a job of each pipeline; every other one of the common jobs goes to each of two alike. */
  async build(round: 'passes' | 'fails'): Promise<void> {
    const passed = Object.entries(AGENTS).map(async ([uuid, isOwn]) => {
      const jobs = BREAKAGES.filter(({ kind }) => isOwn(kind)).length + (uuid === 'first' ? 1 : 0)
      for (let done = 0; done < jobs; done += 1) {
        const isSecond = uuid === 'first' && done % 2 === (round === 'passes' ? 0 : 1)
        await this.#buildOne(isSecond ? 'second' : uuid, round)
      }
    })
    await Promise.all(passed)
  }

  async #buildOne(uuid: string, round: 'passes' | 'fails'): Promise<void> {
    const agent = this.#agents.get(uuid)
    const job = await agent?.work()
    if (!agent || !job) throw new Error(`there is no agent ${uuid}`)
    const breakage = BREAKAGES.find(({ n }) => `p${n}` === job.pipelineName)
    const isBroken = round === 'fails' && breakage !== undefined
    const tools = isBroken && breakage.kind === 'tool' ? [OTHER_MAKE] : [MAKE]
    await agent.finish(job, isBroken ? 'Failed' : 'Passed', tools)
  }

  async compare({ n }: Breakage): Promise<RunComparisonBody> {
    const path = `/api/pipelines/p${n}/compare/last-passed/2`
    return RunComparisonBody.parse(await jsonOf(await this.service.fetch(path)))
  }
}

function originIn({ folder }: TestService, name: string): string {
  const origin = join(folder, name)
  mkdirSync(origin)
  writeFileSync(join(origin, 'file'), 'Begin')
  git(origin, 'init', '--quiet', '--initial-branch=main')
  git(origin, 'add', '.')
  git(origin, 'commit', '--quiet', '--message', 'Begin')
  return origin
}

/** So many pipelines are changed by one revision. */
const BATCH = 20

describe('200 pipelines that broke', () => {
  it(
    'have the cause among the possible ones, and first in at least 180',
    { timeout: 240_000 },
    async () => {
      const world = await World.open()
      await world.build('passes')
      for (let first = 0; first < CASES; first += BATCH) {
        const batch = BREAKAGES.slice(first, first + BATCH)
        await world.save(batch.reduce(disturbed, await world.document()))
        await world.save(batch.reduce(broken, await world.document()))
      }
      world.commit('app', 'Break it')
      world.commit('lib', 'Change the library')
      await world.build('fails')

      const missing: string[] = []
      const later: string[] = []
      for (const breakage of BREAKAGES) {
        const { causes } = await world.compare(breakage)
        const place = causes.findIndex((cause) => isTheCause(breakage, cause))
        const name = `${breakage.kind} ${breakage.n}: ${JSON.stringify(causes.map(({ text }) => text))}`
        if (place < 0) missing.push(name)
        if (place !== 0) later.push(name)
      }

      expect(missing).toEqual([])
      expect(CASES - later.length).toBeGreaterThanOrEqual(180)
    },
  )
})
