import { parentPort } from 'node:worker_threads'
import { runReadingJob, type ReadingJob } from './reading-job.ts'

parentPort?.on('message', (job: ReadingJob) => {
  parentPort?.postMessage(runReadingJob(job), [])
})
