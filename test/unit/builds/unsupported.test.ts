import { expect, it } from 'vitest'
import { Unsupported } from '../../../src/builds/configured/unsupported.ts'
import { readDocument } from '../../../src/document/document.ts'
import type { Configuration } from '../../../src/document/model/model.ts'
import { aConfigurationInBytes, element } from '../../support/documents/a-configuration.ts'

/** As many pipelines, each with a task that no schema knows. */
function configurationOf(pipelines: number): Configuration {
  const stages = [{ name: 'build', jobs: [{ tasks: [element('gradle')] }] }]
  const document = aConfigurationInBytes({
    schemaVersion: 139,
    pipelines: [{ name: 'p', stages }],
  })
  const reading = readDocument(document)
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  const { configuration } = reading.document
  const groups = configuration.groups.map((group) => {
    const [pipeline] = group.pipelines
    const copyOf = (n: number) => pipeline && { ...pipeline, name: `p-${n}` }
    return { ...group, pipelines: Array.from({ length: pipelines }, (_, n) => copyOf(n) ?? []) }
  })
  return {
    ...configuration,
    groups: groups.map((group) => ({ ...group, pipelines: group.pipelines.flat() })),
  }
}

it('looks at a configuration of many pipelines in time slices, and meanwhile gives what it knew', async () => {
  const pipelines = { configuration: configurationOf(1), find: () => null }
  const secrets = { open: () => null, places: null }
  const unsupported = new Unsupported({ pipelines, secrets, clock: Date.now, log: () => {} })
  const subjects = () => unsupported.problems().map(({ subject }) => subject)
  const one = ['The pipeline p-0 has parts that nobody here acts on']
  expect(subjects()).toEqual(one)

  pipelines.configuration = configurationOf(5_000)
  expect(subjects()).toEqual(one)
  await unsupported.settle()

  expect(subjects()).toHaveLength(101)
  expect(subjects().at(-1)).toBe('4900 more pipelines have parts that nobody here acts on')
  pipelines.configuration = configurationOf(2)
  expect(subjects()).toHaveLength(2)
})
