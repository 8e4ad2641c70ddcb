import { readDocument } from '../../src/config/document.ts'
import { expandConfiguration } from '../../src/config/effective.ts'
import { isSource, type SourceMaterial } from '../../src/config/materials/identity.ts'
import type { Pipeline } from '../../src/config/model.ts'
import { aConfigurationInBytes, type AnElement } from './a-configuration.ts'

type AConfiguration = NonNullable<Parameters<typeof aConfigurationInBytes>[0]>

/** The pipelines of a configuration as they act. */
export function pipelinesOf(given: AConfiguration): Pipeline[] {
  const reading = readDocument(aConfigurationInBytes(given))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  const { configuration } = expandConfiguration(reading.document.configuration)
  return configuration.groups.flatMap(({ pipelines }) => pipelines)
}

/** The material that an element of the configuration says. */
export function materialOf(element: AnElement): SourceMaterial {
  const [pipeline] = pipelinesOf({ pipelines: [{ materials: [element] }] })
  const [material] = pipeline?.materials ?? []
  if (!material || !isSource(material)) throw new Error('it is no source material')
  return material
}

/** The variables that the clients of version controls get in tests. */
export function toolEnvironment(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
}
