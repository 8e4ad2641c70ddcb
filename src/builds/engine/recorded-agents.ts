import { createHash } from 'node:crypto'
import type { BuildChange } from './change.ts'
import { RECORDED_AGENT, type RecordedAgent } from './documents.ts'

/** Records an agent as it is, once however many jobs it gets, and returns the key. */
export async function recordAgent({ tx }: BuildChange, agent: RecordedAgent): Promise<string> {
  const { hostname, operatingSystem, version, resources, environments, tools } = agent
  const parts = [hostname, operatingSystem, version, resources, environments, tools]
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  if ((await tx.find(RECORDED_AGENT, key)) === null) await tx.put(RECORDED_AGENT, key, agent)
  return key
}
