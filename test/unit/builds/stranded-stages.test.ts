import { expect, it } from 'vitest'
import { StrandedStages } from '../../../src/builds/dispatch/stranded-stages.ts'
import { IncrementalReader } from '../../../src/document/incremental/incremental-reader.ts'
import type { Pipeline } from '../../../src/document/model/model.ts'
import { aConfigurationInBytes } from '../../support/documents/a-configuration.ts'

const ON_ALL = [
  { name: 'build', jobs: [{ name: 'i' }, { name: 'j', attributes: { runOnAllAgents: true } }] },
  { name: 'test', jobs: [{ name: 'k' }] },
]

/** Notes the names of pipelines whose jobs are read. */
function noteReads({ name, stages }: Pipeline, read: string[]): void {
  for (const stage of stages) {
    const { jobs } = stage
    Object.defineProperty(stage, 'jobs', {
      get: () => {
        read.push(name)
        return jobs
      },
    })
  }
}

it('reads the jobs of those pipelines alone that have one on all agents', async () => {
  const pipelines = [{ name: 'one' }, { name: 'everywhere', stages: ON_ALL }, { name: 'other' }]
  const document = await new IncrementalReader().read(aConfigurationInBytes({ pipelines }))
  const [group] = document?.configuration.groups ?? []
  const read: string[] = []
  for (const pipeline of group?.pipelines ?? []) noteReads(pipeline, read)
  const stranded = new StrandedStages({
    pipelines: {
      list: () => group?.pipelines.map((pipeline) => ({ group: group.name, pipeline })) ?? [],
      environmentsOf: () => [],
      onChange: () => () => {},
    },
    directory: { list: () => [] },
    clock: Date.now,
  })

  const [problem] = stranded.problems()

  expect(problem?.pipelines).toEqual(['everywhere'])
  expect([...new Set(read)]).toEqual(['everywhere'])
})
