import { parentPort } from 'node:worker_threads'
import { doPageWork, type PageJob } from './page-work.ts'

parentPort?.on('message', (job: PageJob) => {
  void doPageWork(job).then((result) => parentPort?.postMessage(result, []))
})
