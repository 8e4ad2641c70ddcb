import { parentPort } from 'node:worker_threads'
import { doPageWork, type PageJob } from './page-work.ts'

parentPort?.on('message', (job: PageJob) => {
  doPageWork(job)
    .then((result) => parentPort?.postMessage(result, []))
    .catch((error: unknown) => {
      // The error ends the thread, and its owner receives it.
      setImmediate(() => {
        throw error
      })
    })
})
