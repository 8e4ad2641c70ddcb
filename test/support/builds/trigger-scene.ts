import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { BuildScene, jsonOf } from './build-service.ts'
import { ProtocolAgent } from '../agents/protocol-agent.ts'
import { untilPolledAgain } from './materials.ts'
import { gitLine } from '../git/git.ts'

export const FAST = ['--material-interval', '120ms']

const Pipelines = z.array(
  z.object({
    name: z.string(),
    latest: z.object({ counter: z.int(), approved_by: z.string() }).nullable(),
  }),
)

type Configured = NonNullable<Parameters<typeof BuildScene.open>[0]>

/** A scene whose materials are polled all the time, with an agent that passes every job it gets. */
export async function open(configured: Configured, flags: readonly string[] = FAST) {
  const scene = await BuildScene.open(configured, flags)
  return { scene, agent: await ProtocolAgent.join(scene.service, 'a1') }
}

/** Changes a file of the material, and gives the commit. */
export function commit(scene: BuildScene, file = 'file'): string {
  writeFileSync(join(scene.origin, file), `${Math.random()}`)
  gitLine(scene.origin, 'add', '.')
  gitLine(scene.origin, 'commit', '-q', '-m', `change ${file}`)
  return gitLine(scene.origin, 'rev-parse', 'HEAD')
}

/** How many runs a pipeline has, and who wanted the newest. */
export async function latest(scene: BuildScene, pipeline = 'app') {
  const listed = Pipelines.parse(await jsonOf(await scene.get('/api/pipelines')))
  const found = listed.find(({ name }) => name === pipeline)?.latest
  return found ? `${found.counter} by ${found.approved_by}` : null
}

/** Waits until the material was polled again. */
export function pollsPass(scene: BuildScene): Promise<void> {
  return untilPolledAgain(scene.service.folder, scene.origin)
}
