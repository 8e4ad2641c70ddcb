import { parentPort } from 'node:worker_threads'
import { doPageWork, type PageJob } from './page-work.ts'

parentPort?.on('message', (job: PageJob) => {
  doPageWork(job)
    .then((result) => parentPort?.postMessage(result, []))
    .catch((error: unknown) => {
      // It ends the thread, and the thread's owner hears of it.
      setImmediate(() => {
        throw error
      })
    })
})
