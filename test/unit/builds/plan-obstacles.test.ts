import { expect, it } from 'vitest'
import type { KnownAgent } from '../../../src/agents/known-agent.ts'
import { findObstacles } from '../../../src/builds/plan/plan-obstacles.ts'
import { readDocument } from '../../../src/document/document.ts'
import { aConfigurationInBytes } from '../../support/documents/a-configuration.ts'

function idle(uuid: string): KnownAgent {
  const condition = { configStatus: 'Enabled', runtimeStatus: 'Idle' } as const
  return { uuid, condition, record: null, configured: null, heard: null }
}

/** Notes each look at the uuid of an agent of the configuration. */
function noteLooks(agent: { readonly uuid: string }, looks: string[]): void {
  const { uuid } = agent
  Object.defineProperty(agent, 'uuid', {
    get: () => {
      looks.push(uuid)
      return uuid
    },
  })
}

it('looks at each agent of the configuration once, however many there are', async () => {
  const uuids = ['a1', 'a2', 'a3', 'a4']
  const reading = readDocument(
    aConfigurationInBytes({
      pipelines: [{ name: 'app', stages: [{ jobs: [{ resources: ['gpu'] }] }] }],
      agents: uuids.map((uuid) => ({ uuid, resources: uuid === 'a4' ? [] : ['GPU'] })),
      environments: [{ name: 'prod', pipelines: ['app'], agents: ['a4'] }],
    }),
  )
  if (!reading.ok) throw new Error(JSON.stringify(reading))
  const { configuration } = reading.document
  const looks: string[] = []
  for (const agent of configuration.agents) noteLooks(agent, looks)

  const obstacles = await findObstacles(
    { directory: { list: () => uuids.map(idle) }, poller: { whyForbidden: async () => null } },
    configuration,
    configuration.groups.flatMap(({ pipelines }) => pipelines),
  )

  expect(obstacles.map(({ because }) => because)).toEqual([
    'in the stage build, the job unit waits: no agent in the environment prod has the resource gpu',
  ])
  expect(looks.toSorted()).toEqual(uuids)
})
