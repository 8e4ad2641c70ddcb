import { parentPort } from 'node:worker_threads'
import { type DiffJob, answerTo, memoryOf } from './diff-job.ts'

parentPort?.on('message', (job: DiffJob) => {
  const answer = answerTo(job)
  parentPort?.postMessage(answer, memoryOf(answer))
})
