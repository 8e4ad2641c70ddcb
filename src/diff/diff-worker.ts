import { parentPort } from 'node:worker_threads'
import { type DiffJob, runDiffJob, memoryOf } from './diff-job.ts'

parentPort?.on('message', (job: DiffJob) => {
  const answer = runDiffJob(job)
  parentPort?.postMessage(answer, memoryOf(answer))
})
