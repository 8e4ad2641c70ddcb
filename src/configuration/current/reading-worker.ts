import { parentPort } from 'node:worker_threads'
import { answerTo, type ReadingJob } from './reading-job.ts'

parentPort?.on('message', (job: ReadingJob) => {
  parentPort?.postMessage(answerTo(job), [])
})
