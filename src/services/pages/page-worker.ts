import { parentPort } from 'node:worker_threads'
import { answerPageJob, type PageJob } from './page-work.ts'

parentPort?.on('message', (job: PageJob) => {
  void answerPageJob(job).then((answer) => parentPort?.postMessage(answer, []))
})
