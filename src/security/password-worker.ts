import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { isPasswordOf, type PasswordCheck } from './password.ts'

/** Where threads have their own priority, password checks yield to requests. */
if (process.platform === 'linux') setPriority(10)

parentPort?.on('message', (check: PasswordCheck) => {
  parentPort?.postMessage(isPasswordOf(check), [])
})
