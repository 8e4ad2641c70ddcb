import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AgentEntry } from '../../../src/wire/agent-entry.ts'
import { BuildScene, jsonOf } from './build-service.ts'
import { ProtocolAgent } from '../agents/protocol-agent.ts'

/** A service with builds, and an agent that takes them. */
export async function sceneWithAgent(...given: Parameters<typeof BuildScene.open>) {
  const scene = await BuildScene.open(...given)
  return { scene, agent: await ProtocolAgent.join(scene.service, 'a1') }
}

/** An agent as the list of agents shows it. */
export async function listed(
  { service }: BuildScene,
  uuid: string,
): Promise<AgentEntry | undefined> {
  const agents = z.array(AgentEntry).parse(await jsonOf(await service.fetch('/api/agents')))
  return agents.find((agent) => agent.uuid === uuid)
}

/** The console of the first job, as it is on disk. */
export function consoleOf({ service }: BuildScene): string {
  const job = 'app/1/build/1/unit/cruise-output/console.log'
  return readFileSync(join(service.folder, 'state', 'artifacts', job), 'utf8')
}
