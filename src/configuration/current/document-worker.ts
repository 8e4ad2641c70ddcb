import { parentPort } from 'node:worker_threads'
import { type DocumentJob, runReadingJob, runSealingJob } from './document-job.ts'

parentPort?.on('message', (job: DocumentJob) => {
  if (job.kind === 'read') {
    parentPort?.postMessage(runReadingJob(job), [])
    return
  }
  const answer = runSealingJob(job)
  parentPort?.postMessage(answer, answer.ok ? [answer.document.buffer] : [])
})
