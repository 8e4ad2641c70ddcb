import { join } from 'node:path'
import { BuildScene } from './build-service.ts'
import { ProtocolAgent } from '../agents/protocol-agent.ts'

export const JOB = 'app/1/build/1/unit'

export const LOCATOR = {
  pipelineName: 'app',
  pipelineCounter: 1,
  stageName: 'build',
  stageCounter: '1',
  jobName: 'unit',
}

/** A job on an agent, with a console and two artifacts. */
export async function sceneWithFiles(...given: Parameters<typeof BuildScene.open>) {
  const scene = await BuildScene.open(...given)
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  await scene.schedule()
  const job = await agent.work()
  await agent.append(job.jobId, 0, 'one\ntwo\nthree\nhalf')
  await agent.upload(job.jobId, 'dist/app.txt', 'the app')
  await agent.upload(job.jobId, 'report.html', '<p>fine</p>')
  const folder = join(scene.service.folder, 'state', 'artifacts', JOB)
  return { scene, agent, job, folder }
}
