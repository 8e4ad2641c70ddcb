import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteState } from '../../src/state/open-sqlite.ts'
import {
  aConfiguration,
  element,
  exec,
  git as gitMaterial,
} from '../support/documents/a-configuration.ts'
import { git } from '../support/git/git.ts'
import { Crowd, KEY, membersOf } from './crowd.ts'
import type { Endpoint } from './endpoint-cost.ts'
import { AGENT_OF_RUNS, fillWithRuns } from './finished-runs.ts'
import { toldHistoryOf } from './histories.ts'
import { makeHistory, writeIndex } from './make-history.ts'
import { MeasuredServer } from './servers.ts'

/** A server with a fixed data set, and the calls that it is measured by. */
export interface World extends AsyncDisposable {
  readonly server: MeasuredServer
  readonly endpoints: readonly Endpoint[]
}

export interface Size {
  readonly name: 'small' | 'large'
  readonly revisions: number
  readonly stages: number
  readonly agents: number
}

const CURRENT = '/api/admin/config.xml'
const DOCUMENT_SIZE = 5_000
/** Of a history whose length alone matters. */
const SMALL_DOCUMENT_SIZE = 2_000
const GZIP = { 'accept-encoding': 'gzip' }
const PATHS_OF_ONE = 80
/** The pipeline that has the runs. */
const COMPARED = 'pipeline-00000'
const ACTIONS = 20

interface Revision {
  readonly md5: string
  readonly commitSHA: string
}

/** A configuration of 5 KB with many revisions, each of one pipeline. */
export async function historyWorld(folder: string, { name, revisions }: Size): Promise<World> {
  const places = { repository: join(folder, `history-${name}`), state: join(folder, `of-${name}`) }
  const shape = { folder: places.repository, revisions, documentSize: DOCUMENT_SIZE }
  await makeHistory(shape)
  await writeIndex(shape, places.state, changesOf)
  const server = await MeasuredServer.cairn(places)
  const list: Revision[] = JSON.parse(
    String(await server.get(`/api/config/revisions?limit=${PATHS_OF_ONE + 20}`)),
  )
  const document = String(await server.get(CURRENT))
  const endpoints = [
    ...snapshots(list),
    ...lists(list, revisions),
    ...differences(list),
    ...pagesOf(list),
    ...saves(document, list),
  ]
  return { server, endpoints, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** As the history's changes really are: the material of one pipeline after the other. */
function changesOf(n: number) {
  const name = `pipeline-${String((n * 7) % 10).padStart(5, '0')}`
  const entity = `pipeline/${name}`
  const change = { entity, label: name, path: ['material'], subject: 'url', to: `change-${n}` }
  return [{ kind: 'changed', ...change } as const]
}

function get(call: string, ...paths: readonly string[]): Endpoint {
  return { call: `GET ${call}`, requests: paths.map((path) => ({ path })) }
}

function post(path: string) {
  return { path, method: 'POST' }
}

function decisions(uuids: readonly string[], what: string) {
  return uuids.map((uuid) => post(`/api/agents/${uuid}/${what}`))
}

function action(call: string, requests: Endpoint['requests']): Endpoint {
  return { call, requests, isAction: true }
}

function snapshots(list: readonly Revision[]): Endpoint[] {
  const byDigest = list.slice(0, PATHS_OF_ONE).map(({ md5 }) => `/api/admin/config/${md5}.xml`)
  return [get(CURRENT, CURRENT), get('/api/admin/config/[digest].xml', ...byDigest)]
}

function lists(list: readonly Revision[], revisions: number): Endpoint[] {
  const path = '/api/config/revisions'
  const entity = 'entity=pipeline/pipeline-00000'
  const everything = { path, headers: GZIP }
  return [
    { call: `GET ${path}, gzip: all of them`, requests: [everything] },
    get(`${path}?limit=10`, `${path}?limit=10`),
    get(`${path}/[offset], the deepest`, `${path}/${revisions - 10}`),
    get(`${path}?entity=…&limit=10`, `${path}?${entity}&limit=10`),
    get('/api/config/watch?since=…', `/api/config/watch?since=${list[1]?.commitSHA}`),
  ]
}

function differences(list: readonly Revision[]): Endpoint[] {
  const pairs = list
    .slice(0, PATHS_OF_ONE)
    .map(({ commitSHA }, n) => `${list[n + 1]?.commitSHA}/${commitSHA}`)
  return [
    get('/api/config/diff/[from]/[to]', ...pairs.map((pair) => `/api/config/diff/${pair}`)),
    get('/api/config/changes/[from]/[to]', ...pairs.map((pair) => `/api/config/changes/${pair}`)),
  ]
}

/** A long history, indexed, with a run of one of the pipelines under each revision where they are asked for. */
export async function longWorld(
  revisions: number,
  { hasRuns }: { readonly hasRuns: boolean },
): Promise<MeasuredServer> {
  const { places } = await toldHistoryOf(revisions, SMALL_DOCUMENT_SIZE)
  if (hasRuns) await fillWithComparedRuns(places, revisions)
  const server = await MeasuredServer.cairn(places)
  await server.rest()
  return server
}

/** A run of one of the pipelines under each revision. */
async function fillWithComparedRuns(
  { repository, state }: { readonly repository: string; readonly state: string },
  revisions: number,
): Promise<void> {
  const commits = git(repository, 'rev-list', '--reverse', 'HEAD').split('\n')
  mkdirSync(state, { recursive: true })
  await using store = await openSqliteState(join(state, 'state.sqlite'))
  await fillWithRuns(store, revisions, { pipeline: COMPARED, commits })
}

/** The run before, and all that lies between the first and the last run. */
export function comparisons(revisions: number): Endpoint[] {
  const path = `/api/pipelines/${COMPARED}/compare`
  const pairs = Array.from({ length: PATHS_OF_ONE }, (_, n) => `last-passed/${revisions - n}`)
  return [
    get(
      '/api/pipelines/[name]/compare/last-passed/[to]',
      ...pairs.map((each) => `${path}/${each}`),
    ),
    get('/api/pipelines/[name]/compare/1/[to]: all of them', `${path}/1/${revisions}`),
  ]
}

/** The forms of entities, and the editor of one. */
export function formsOfEntities(): Endpoint[] {
  const entity = `pipeline/${COMPARED}`
  return [
    get('/config/edit/pipeline/[name], the form', `/config/edit/${entity}`),
    get('/config/edit/group/[name], the form', '/config/edit/group/first'),
    get('/config/new/environment, the form', '/config/new/environment'),
    get('/config/edit?entity=…, the XML', `/config/edit?entity=${entity}`),
  ]
}

function pagesOf(list: readonly Revision[]): Endpoint[] {
  const [newest, before] = list
  return [
    get('/config, the page', '/config'),
    get('/config/r90?blame=1, the page', '/config/r90?blame=1'),
    get(
      '/config/compare/[from]/[to], the page',
      `/config/compare/${before?.commitSHA}/${newest?.commitSHA}`,
    ),
    get('/config/entity/[kind]/[name], the page', '/config/entity/pipeline/pipeline-00000'),
  ]
}

function saves(document: string, list: readonly Revision[]): Endpoint[] {
  const documents = Array.from({ length: 2 * ACTIONS }, (_, n) =>
    document.replace('autoUpdate="false"', `autoUpdate="false" materialName="m${n}"`),
  )
  const puts = documents.slice(0, ACTIONS).map((body) => {
    return { path: CURRENT, method: 'PUT', headers: { 'if-match': '*' }, body }
  })
  const forms = documents.slice(ACTIONS).map((xmlFile, n) => {
    const before = documents[ACTIONS + n - 1] ?? ''
    return form(CURRENT, { xmlFile, md5: createHash('md5').update(before).digest('hex') })
  })
  const restores = list
    .slice(0, ACTIONS)
    .map(({ commitSHA }) => form(`/api/config/revisions/${commitSHA}/restore`, {}))
  const fields = { scm: 'svn', url: 'http://127.0.0.1:1/none' }
  const created = Array.from({ length: ACTIONS }, (_, n) =>
    form(`/tab/admin/pipelines/new-${n}.json`, fields),
  )
  return [
    action(`PUT ${CURRENT}`, puts),
    action(`POST ${CURRENT}`, forms),
    action('POST /api/config/revisions/[commit]/restore', restores),
    action('POST /tab/admin/pipelines/[name].json', created),
  ]
}

function form(path: string, fields: Readonly<Record<string, string>>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { path, method: 'POST', headers, body: String(new URLSearchParams(fields)) }
}

/** One stage with many runs, and pipelines that can be started. */
export async function buildsWorld(folder: string, { name, stages }: Size): Promise<World> {
  const places = { repository: join(folder, `builds-${name}`), state: join(folder, `runs-${name}`) }
  makeBuildsRepository(places.repository)
  mkdirSync(places.state, { recursive: true })
  {
    await using store = await openSqliteState(join(places.state, 'state.sqlite'))
    await fillWithRuns(store, stages)
  }
  const quiet = ['--auto-register-key', KEY, '--material-interval', '24h']
  const server = await MeasuredServer.cairn(places, quiet)
  const builders = new Crowd(server, membersOf(ACTIONS))
  await builders.register(KEY)
  const pipelines = Array.from({ length: ACTIONS }, (_, n) => `p${n}`)
  const endpoints = [
    get('/api/pipelines', '/api/pipelines'),
    get('/api/pipelines/[name]/instance/[counter]', '/api/pipelines/app/instance/1'),
    get('/api/pipelines/[name]/history', '/api/pipelines/app/history'),
    get('/api/stages/[p]/[s]/instance/[n]/[n]', '/api/stages/app/test/instance/1/1'),
    get('/api/stages/[p]/[s]/history', '/api/stages/app/test/history'),
    get('/api/stages/[p]/[s]/history/[offset]', `/api/stages/app/test/history/${stages - 10}`),
    get('/api/agents/[uuid]/job_run_history', `/api/agents/${AGENT_OF_RUNS}/job_run_history`),
    action(
      'POST /api/pipelines/[name]/schedule',
      pipelines.map((pipeline) => post(`/api/pipelines/${pipeline}/schedule`)),
    ),
    action('POST …/work by agents: a job is given', builders.asksForWork()),
    action(
      'POST /api/stages/[p]/[s]/cancel',
      pipelines.map((pipeline) => post(`/api/stages/${pipeline}/test/cancel`)),
    ),
    get('/api/audit', '/api/audit'),
    get('/api/openapi.json', '/api/openapi.json'),
  ]
  return { server, endpoints, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

function makeBuildsRepository(folder: string): void {
  const origin = join(folder, '..', 'origin')
  mkdirSync(folder, { recursive: true })
  mkdirSync(origin, { recursive: true })
  git(origin, 'init', '-q', '-b', 'main')
  git(origin, 'commit', '-q', '--allow-empty', '-m', 'Begin')
  const approval = element('approval', { type: 'manual' })
  const stages = [{ name: 'test', approval, jobs: [{ name: 'unit', tasks: [exec('true')] }] }]
  const names = ['app', ...Array.from({ length: ACTIONS }, (_, n) => `p${n}`)]
  const materials = [gitMaterial(origin, { branch: 'main' })]
  const pipelines = names.map((name) => ({ name, materials, stages }))
  writeFileSync(join(folder, 'config.xml'), aConfiguration({ pipelines }))
  git(folder, 'init', '-q', '-b', 'main')
  git(folder, 'add', '.')
  git(folder, 'commit', '-q', '-m', 'Pipelines')
}

/** Agents that the configuration lists and that have called. */
export async function agentsWorld(folder: string, { name, agents }: Size): Promise<World> {
  const inside = join(folder, `agents-${name}`)
  mkdirSync(inside)
  const crowd = await Crowd.gather(inside, agents)
  const { server } = crowd
  const [kept, deleted] = [crowd.uuids().slice(0, 5), crowd.uuids().slice(5, 10)]
  for (const call of decisions(deleted, 'disable')) await server.send(call.path, call)
  const endpoints = [
    { call: 'GET /api/agents, gzip', requests: [{ path: '/api/agents', headers: GZIP }] },
    { call: 'POST …/contact by agents', requests: crowd.contacts(200) },
    get('/agents, the page', '/agents'),
    get('/health', '/health'),
    get('/health/live', '/health/live'),
    get('/health/ready', '/health/ready'),
    get('/metrics', '/metrics'),
    action('POST /api/agents/[uuid]/disable', decisions(kept, 'disable')),
    action('POST /api/agents/[uuid]/enable', decisions(kept, 'enable')),
    action('POST /api/agents/[uuid]/delete', decisions(deleted, 'delete')),
  ]
  return { server, endpoints, [Symbol.asyncDispose]: () => crowd[Symbol.asyncDispose]() }
}
