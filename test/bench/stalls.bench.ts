import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { documentWith } from '../support/documents/documents.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { longestWaitBeside } from './longest-wait.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

const MEGABYTE = 1_000_000
const ROUNDS = 3

/** Documents within the limits whose bytes stand where few have any, by what they are full of. */
const SAVED: Readonly<Record<string, (size: number, n: number) => string>> = {
  'blanks, 30 MB': (size, n) => before('</cruise>', ' '.repeat(size * 30), n),
  'lines, 16 MB': (size, n) => before('</cruise>', '\n'.repeat(size * 16), n),
  'a comment, 30 MB': (size, n) => before('</cruise>', `<!--${'x'.repeat(size * 30)}-->`, n),
  'a value, 16 MB': (size, n) =>
    before('<materials>', variablesOf([`<value>${'x'.repeat(size * 16)}</value>`]), n),
  'a pipeline, 3 MB': (size, n) => before('<materials>', variablesOf(values(size * 3)), n),
  'an environment, 3 MB': (size, n) =>
    before('</cruise>', environmentsOf([variablesOf(values(size * 3))]), n),
  'environments, 3 MB': (size, n) =>
    before('</cruise>', environmentsOf(values(size * 3).map((value) => variablesOf([value]))), n),
  'plain secrets, 3 MB': (size, n) =>
    before('<materials>', variablesOf(values(size * 3), 'secure="true"'), n),
}

/** Pages about a document of 10 MB, which differs from the one before in all its pipelines. */
const ASKED: Readonly<Record<string, string>> = {
  'the history': '/config',
  'its feed': '/config/feed.atom',
  'the history of a pipeline': '/config/entity/pipeline/b-1',
  'a search for a name': '/search?q=b-1',
  'the pipelines': '/pipelines',
  'the pipelines over the API': '/api/pipelines',
  'a pipeline': '/pipelines/b-1',
  'the form of a pipeline': '/config/new-pipeline',
  'the preview of a restore': '/config/r2/restore',
  'the preview of an undoing': '/config/r3/undo',
  'a search in a document': '/config/r3?find=nothing',
  'the editor': '/config/edit',
  'the editor of a pipeline': '/config/edit?entity=pipeline/b-1',
  'a comparison': '/config/compare/r2/r3',
}

export const cases: readonly BenchCase[] = [
  ...Object.entries(SAVED).map(([what, documentOf]) => ({
    name: `stalls: longest wait of others while ${what}, is saved`,
    must: { atMost: 250, unit: 'ms' },
    measure: (run: BenchRun) => besideSaves(run, documentOf),
  })),
  {
    name: 'stalls: longest wait of others beside pages about 10 MB',
    must: { atMost: 250, unit: 'ms' },
    measure: besidePages,
  },
]

async function besideSaves(
  { quick, folder }: BenchRun,
  documentOf: (size: number, n: number) => string,
) {
  await using server = await MeasuredServer.cairn(placesIn(folder))
  await server.save(documentWith('first'))
  await server.rest()
  const calm = await longestWaitBeside(server, () => wait(200))
  const waits: number[] = []
  for (let n = 0; n < (quick ? 1 : ROUNDS); n += 1) {
    const document = documentOf(quick ? 20_000 : MEGABYTE, n)
    waits.push(await longestWaitBeside(server, () => server.save(document)))
  }
  return { value: median(waits), facts: { 'calm, ms': calm } }
}

async function besidePages({ quick, folder }: BenchRun) {
  await using server = await MeasuredServer.cairn(placesIn(folder))
  for (const name of ['a', 'b']) await server.save(pipelinesOf(quick ? 0.3 : 10, name))
  await server.rest()
  const calm = await longestWaitBeside(server, () => wait(200))
  const waits: Record<string, number> = {}
  for (const [what, path] of Object.entries(ASKED)) {
    waits[what] = await longestWaitBeside(server, () => server.get(path))
  }
  return { value: Math.max(...Object.values(waits)), facts: { 'calm, ms': calm, ...waits } }
}

function placesIn(folder: string) {
  return { repository: join(folder, 'config-repo'), state: join(folder, 'state') }
}

function before(tag: string, content: string, n: number): string {
  return documentWith(`saved-${n}`).replace(tag, () => content + tag)
}

/** Their materials are not looked at: thousands of polls would be waited for beside the pages. */
function pipelinesOf(megabytes: number, prefix: string): string {
  const one = documentWith(`${prefix}-10000`).length - documentWith().length
  const count = Math.round((megabytes * MEGABYTE) / one)
  const names = Array.from({ length: count }, (_, n) => `${prefix}-${n}`)
  return documentWith(...names).replaceAll('.git" />', '.git" autoUpdate="false" />')
}

function values(bytes: number): string[] {
  return Array.from({ length: Math.round(bytes / 60) }, (_, n) => `<value>value ${n}</value>`)
}

function variablesOf(contents: readonly string[], more = ''): string {
  const variables = contents.map((value, n) => `<variable name="v${n}" ${more}>${value}</variable>`)
  return `<environmentvariables>\n${variables.join('\n')}\n</environmentvariables>`
}

function environmentsOf(contents: readonly string[]): string {
  const all = contents.map((content, n) => `<environment name="e${n}">${content}</environment>`)
  return `<environments>\n${all.join('\n')}\n</environments>`
}
