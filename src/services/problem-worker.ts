import { parentPort } from 'node:worker_threads'
import { problemsIn, type ProblemJob } from './problem-job.ts'

parentPort?.on('message', (job: ProblemJob) => {
  parentPort?.postMessage(problemsIn(job), [])
})
