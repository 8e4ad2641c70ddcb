import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDocument } from '../../../src/document/document.ts'
import { expandConfiguration } from '../../../src/document/effective/effective.ts'
import { isSource, type VersionControlMaterial } from '../../../src/document/materials/identity.ts'
import type { Pipeline } from '../../../src/document/model/model.ts'
import type { LocalMaterials } from '../../../src/sources/local-materials.ts'
import { aConfigurationInBytes, type AnElement } from '../documents/a-configuration.ts'
import { until } from '../programs/until.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

const GIT_TRACE = 'git-trace'
/** The first may be under way, the second may have begun before the look that follows the first. */
const POLLS = 3

type AConfiguration = NonNullable<Parameters<typeof aConfigurationInBytes>[0]>

/** The pipelines of a configuration as they act. */
export function pipelinesOf(given: AConfiguration): Pipeline[] {
  const reading = readDocument(aConfigurationInBytes(given))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  const { configuration } = runSync(expandConfiguration(reading.document.configuration))
  return configuration.groups.flatMap(({ pipelines }) => pipelines)
}

/** The material that an element of the configuration says. */
export function materialOf(element: AnElement): VersionControlMaterial {
  const [pipeline] = pipelinesOf({ pipelines: [{ materials: [element] }] })
  const [material] = pipeline?.materials ?? []
  if (!material || !isSource(material)) throw new Error('it is no source material')
  return material
}

/** The variables that the clients of version controls get in tests. Git writes down its commands. */
export function toolEnvironment(home: string): Record<string, string> {
  const trace = join(home, GIT_TRACE)
  const PATH = process.env['PATH'] ?? ''
  return { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_TRACE: trace }
}

/** Waits until a git repository was polled, and polled again, from now on. */
export async function untilPolledAgain(home: string, url: string): Promise<void> {
  const seen = pollsOf(home, url)
  await until(() => pollsOf(home, url) >= seen + POLLS)
}

/** How often a git repository was polled. */
export function pollsOf(home: string, url: string): number {
  const file = join(home, GIT_TRACE)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.filter((line) => line.includes(` git ls-remote --quiet -- ${url} `)).length
}

/** Lets every repository below a folder be a material. */
export function allowing(folder: string): LocalMaterials {
  return { allowed: [folder], own: [] }
}
