import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { gitBeside } from '../git/fast-import.ts'

const REVISIONS = 5_000
const BEGUN = 1_500_000_000
const HOUR_S = 3_600
const USERS = ['ann', 'bob', 'carol', 'dave', 'erin', 'frank']
const NAMES = ['checkout', 'billing', 'shipping', 'search', 'legacy', 'mobile', 'web', 'reports']
const EDGE = ['search', 'web']

interface ConfiguredPipeline {
  name: string
  group: string
  repository: string
  command: string
  label: string
  region: string | null
  timer: string | null
}

/** The configuration of a small shop, as its people change it. */
class Shop {
  pipelines: ConfiguredPipeline[] = NAMES.map((name) => pipelineOf(name))
  /** The pipelines in the environment prod, while there is one. */
  prod: readonly string[] = []

  pipeline(name: string): ConfiguredPipeline {
    const found = this.pipelines.find((each) => each.name === name)
    if (found === undefined) throw new Error(`There is no ${name}`)
    return found
  }

  /** Gives one pipeline after the other another label. */
  relabel(n: number): void {
    const pipeline = this.pipelines[n % this.pipelines.length]
    if (pipeline !== undefined) pipeline.label = `v${n}-`
  }

  remove(name: string): void {
    this.pipelines = this.pipelines.filter((each) => each.name !== name)
  }

  document(): string {
    const groups = [...new Set(this.pipelines.map(({ group }) => group))]
    const groupText = (group: string) => {
      const members = this.pipelines.filter((each) => each.group === group)
      return `  <pipelines group="${group}">\n${members.map(textOf).join('')}  </pipelines>\n`
    }
    const members = this.prod.map((name) => `<pipeline name="${name}" />`).join('')
    const environment = `<environment name="prod"><pipelines>${members}</pipelines></environment>`
    const environments =
      this.prod.length === 0 ? '' : `  <environments>${environment}</environments>\n`
    return `<cruise schemaVersion="75">\n${groups.map(groupText).join('')}${environments}</cruise>\n`
  }
}

function pipelineOf(name: string, group = EDGE.includes(name) ? 'edge' : 'core') {
  const repository = `https://git.example.org/${name}.git`
  const region = name === 'shipping' ? 'eu-west-1' : null
  return { name, group, repository, command: 'make', label: '', region, timer: null }
}

function textOf(pipeline: ConfiguredPipeline): string {
  const { name, repository, command, label, region, timer } = pipeline
  const lines = [
    `    <pipeline name="${name}" labeltemplate="${label}\${COUNT}">`,
    ...(timer === null ? [] : [`      <timer>${timer}</timer>`]),
    ...(region === null
      ? []
      : [
          '      <environmentvariables>',
          `        <variable name="REGION"><value>${region}</value></variable>`,
          '      </environmentvariables>',
        ]),
    `      <materials><git url="${repository}" /></materials>`,
    '      <stage name="build"><jobs><job name="compile">',
    `        <tasks><exec command="${command}" /></tasks>`,
    '      </job></jobs></stage>',
    '    </pipeline>',
  ]
  return `${lines.join('\n')}\n`
}

type Event = readonly [user: string, change: (shop: Shop) => void]

/** The revisions that people ask about; each of the others gives a pipeline another label. */
const EVENTS: Readonly<Record<number, Event>> = {
  400: ['ann', (shop) => (shop.pipeline('reports').timer = '0 0 2 * * ?')],
  1200: ['mallory', (shop) => (shop.pipeline('checkout').command = 'make-tset')],
  1210: ['frank', (shop) => (shop.pipeline('checkout').command = 'make')],
  1500: ['bob', (shop) => shop.remove('legacy')],
  2000: ['carol', (shop) => (shop.pipeline('billing').name = 'invoicing')],
  2500: ['dave', (shop) => (shop.pipeline('shipping').region = null)],
  3000: ['erin', (shop) => (shop.pipeline('search').group = 'core')],
  3300: ['frank', (shop) => (shop.prod = ['web'])],
  3600: ['ann', (shop) => void shop.pipelines.push(pipelineOf('payments', 'core'))],
  3900: ['frank', (shop) => (shop.prod = ['web', 'payments'])],
  4000: [
    'bob',
    (shop) => (shop.pipeline('checkout').repository = 'https://git.example.org/moved.git'),
  ],
  4200: ['carol', (shop) => void shop.pipelines.push(pipelineOf('trial', 'labs'))],
  4400: ['dave', (shop) => (shop.pipeline('reports').timer = '0 0 4 * * ?')],
  4700: ['erin', (shop) => shop.remove('trial')],
  4800: ['dave', (shop) => (shop.pipeline('shipping').region = 'us-east-1')],
}

/** The time of a revision, as a question names it. */
export function timeOf(revision: number): string {
  return new Date((BEGUN + revision * HOUR_S) * 1_000).toISOString()
}

/** The commits of all revisions, as `git fast-import` takes them. */
export function eventfulCommits(): string {
  const shop = new Shop()
  const commits = Array.from({ length: REVISIONS }, (_, before) => {
    const n = before + 1
    const [user, change] = EVENTS[n] ?? [USERS[n % USERS.length], () => shop.relabel(n)]
    if (n > 1) change(shop)
    const document = shop.document()
    const person = `${user} <${user}@example.org> ${BEGUN + n * HOUR_S} +0000`
    const words = `Revision ${n}`
    return [
      'commit refs/heads/main',
      `author ${person}`,
      `committer ${person}`,
      `data ${words.length}\n${words}`,
      'M 100644 inline config.xml',
      `data ${document.length}\n${document}`,
      '',
    ].join('\n')
  })
  return commits.join('')
}

/** Makes the repository of a service that adopts it: 5,000 revisions of the configuration of a shop. */
export async function makeEventfulHistory(folder: string): Promise<void> {
  const repository = join(folder, 'config-repo')
  mkdirSync(repository)
  await gitBeside(repository, ['init', '--quiet', '--initial-branch=main'])
  await gitBeside(repository, ['fast-import', '--quiet'], eventfulCommits())
  await gitBeside(repository, ['reset', '--quiet', '--hard'])
}
