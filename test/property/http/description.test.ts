import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, GUARDED, jsonOf, SECURED } from '../../support/builds/build-service.ts'
import { AGENT_FACTS, CONTACT_BODY } from '../../support/agents/contact-body.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { WebhookReceiver } from '../../support/service/webhook-receiver.ts'
import { DescribedApi, type DescribedOperation } from '../../support/service/described-api.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import {
  bestRequestOf,
  type DerivedRequest,
  type Known,
  requestOf,
} from '../../support/http/request-arbitraries.ts'
import { ADMIN_PASSWORD } from '../../support/service/service.ts'
import { RevisionEntry } from '../../../src/wire/revision-bodies.ts'
import { z } from 'zod'

const RUNS = 8
const LONG = { timeout: 120_000, tags: ['long'] }
const ADMIN = `admin:${ADMIN_PASSWORD}`
/** A call that is held until there is work. */
const HELD = '/api/agents-protocol/{uuid}/work'

type Caller = { readonly as: string | null; readonly token?: string }

/** A stage whose job fetches the console of the one before. */
const FETCHING = {
  name: 'next',
  jobs: [
    { tasks: [element('fetchartifact', { stage: 'build', job: 'unit', srcdir: 'cruise-output' })] },
  ],
}

/** A service with a past: revisions, a finished stage with its files, an agent at work on the next. */
async function openScene() {
  const webhooks = join(tempDir(), 'webhooks.json')
  const receiver = await WebhookReceiver.open()
  receiver.writeFile(webhooks)
  const groups = [{ authorization: GUARDED, pipelines: [{ name: 'app', stages: [{}, FETCHING] }] }]
  const scene = await BuildScene.open({ server: SECURED, groups }, ['--webhooks-file', webhooks])
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  await scene.schedule()
  const { jobId } = await agent.work()
  await agent.append(jobId, 0, 'hello\n')
  await agent.upload(jobId, 'out/report.txt', 'fine')
  await agent.finish({ jobId })
  const { jobId: current } = await agent.work()
  const revisions = z
    .array(RevisionEntry)
    .parse(await jsonOf(await scene.get('/api/config/revisions')))
  const document = await (await scene.get('/api/admin/config.xml')).text()
  await scene.service.fetch('/api/admin/rules.yaml', {
    method: 'PUT',
    headers: { 'if-none-match': '*' },
    body: 'version: 1\nrules: []\n',
  })
  await scene.service.fetch('/api/proposals', {
    method: 'POST',
    body: JSON.stringify({ title: 'Say more', document: `${document}<!-- more -->\n` }),
  })
  return { scene, agent, jobId: current, revisions }
}

type Scene = Awaited<ReturnType<typeof openScene>>

async function knownOf({ scene, jobId, revisions }: Scene): Promise<Known> {
  const document = await (await scene.get('/api/admin/config.xml')).text()
  const [newest] = revisions
  const commits = revisions.map(({ commitSHA }) => commitSHA)
  const digests = revisions.map(({ md5 }) => md5)
  const form = new URLSearchParams({ xmlFile: document, md5: newest?.md5 ?? '' }).toString()
  const partial = new URLSearchParams({
    pipelineName: 'app',
    stageIndex: '0',
    xmlPartial: '<stage name="build" />',
    md5: newest?.md5 ?? '',
  }).toString()
  const claim = 'c'.repeat(40)
  return {
    digest: digests,
    commit: commits,
    revision: commits,
    from: commits,
    to: commits,
    '/api/pipelines/{name}/compare/{from}/{to} from': ['1', 'last-passed'],
    '/api/pipelines/{name}/compare/{from}/{to} to': ['1', '2'],
    '/api/webhooks/{name}/deliveries name': ['mirror'],
    since: commits.slice(1),
    wait: ['0'],
    md5: digests,
    'If-Match': ['*', ...digests.map((digest) => `"${digest}"`)],
    uuid: ['a1', 'nobody'],
    pipeline: ['app', 'other'],
    pipelineGroup: ['defaultGroup', 'Pipeline Templates'],
    pipelineIndex: ['0', '1'],
    pipelineName: ['app', 'other'],
    stage: ['build', 'other'],
    stageIndex: ['0', '2'],
    stageName: ['build', 'other'],
    buildIndex: ['0', '1'],
    job: ['unit', String(jobId)],
    'query job': ['app/1/build/1/unit'],
    counter: ['1', '2'],
    pipelineCounter: ['1', '2'],
    stageCounter: ['1'],
    offset: ['0', '10'],
    limit: ['1'],
    object: ['info/packs'],
    path: ['cruise-output/console.log', 'out', 'out/report.txt'],
    startLineNumber: ['0'],
    entity: ['pipeline/app'],
    kind: ['pipeline', 'artifact'],
    name: ['app', 'r1', 'new'],
    'body /api/admin/config.xml': [form, document],
    'body /admin/restful/configuration/file/POST/xml': [form],
    'body /admin/restful/configuration/stage/POST/xml': [partial],
    'body /tab/admin/pipelines/{name}.json': ['url=http://example.org/x', 'scm=git&url=x'],
    'body /api/pipelines/{name}/schedule': ['', '{}', 'variables[A]=b', 'materials[none]=1'],
    'body /api/agents-protocol/register': [
      JSON.stringify({ ...AGENT_FACTS, uuid: 'a2', claim, auto_register: null }),
    ],
    'body /api/agents-protocol/{uuid}/contact': [CONTACT_BODY],
    'body /api/agents-protocol/{uuid}/jobs/{job}/report': ['{"state":"Preparing"}'],
    'body /config/edit/check': [
      new URLSearchParams({ xml: document, basedOn: newest?.md5 ?? '' }).toString(),
    ],
  }
}

function callersOf({ path }: DescribedOperation, { agent }: Scene): Caller[] {
  const users: Caller[] = [{ as: ADMIN }, { as: 'vera:vera' }, { as: 'olga:olga' }, { as: null }]
  const token: Caller = { as: null, token: agent.token }
  if (path.startsWith('/files/')) return [...users, token]
  return path !== HELD && path.startsWith('/api/agents-protocol/') ? [token, ...users] : users
}

function send({ scene }: Scene, { as, token }: Caller, request: DerivedRequest): Promise<Response> {
  const { method, path, headers, body } = request
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return scene.service.fetch(path, { as, method, headers: { ...headers, ...authorization }, body })
}

/** A maintenance that a call has begun would refuse all changes after it, each with 503. */
async function endMaintenance({ scene }: Scene): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ saves: 'allowed' })
  const init = { as: ADMIN, method: 'POST', headers, body }
  expect((await scene.service.fetch('/api/maintenance', init)).status).toBe(200)
}

async function fault(
  api: DescribedApi,
  operation: DescribedOperation,
  response: Response,
): Promise<string[]> {
  const bad = response.status >= 500 ? [`it failed with ${response.status}`] : []
  return [...bad, ...(await api.faultsOf(operation, response))]
}

describe('every call', () => {
  it('is answered as the description says, whatever is sent', LONG, async () => {
    const opened = await openScene()
    const api = await DescribedApi.read(opened.scene.service)
    const known = await knownOf(opened)

    for (const operation of api.operations) {
      const callers = callersOf(operation, opened)
      await fc.assert(
        fc.asyncProperty(
          requestOf(operation, known),
          fc.constantFrom(...callers),
          async (request, caller) => {
            const response = await send(opened, caller, request)

            expect(await fault(api, operation, response)).toEqual([])
          },
        ),
        { numRuns: RUNS, endOnFailure: true },
      )
      if (operation.path.endsWith('/maintenance')) await endMaintenance(opened)
    }
  })

  it('succeeds when it is made as described', LONG, async () => {
    const opened = await openScene()
    const api = await DescribedApi.read(opened.scene.service)
    const known = await knownOf(opened)
    const unsuccessful: string[] = []
    const read = api.operations.filter(
      ({ method, path, ...more }) =>
        method === 'get' && more['x-page'] !== true && !path.startsWith('/assets'),
    )

    for (const operation of read) {
      const [caller = { as: null }] = callersOf(operation, opened)
      const request = bestRequestOf(operation, known)
      const response = await send(opened, caller, request)
      if (response.status >= 400)
        unsuccessful.push(`${request.method} ${request.path} ${response.status}`)
      expect(await fault(api, operation, response)).toEqual([])
    }

    expect(unsuccessful).toEqual([])
  })
})
