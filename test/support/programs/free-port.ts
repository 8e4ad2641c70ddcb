import { createServer } from 'node:net'

/** Below the ports that the system gives to whoever asks for any: nobody else takes one of these. */
const MIN_PORT = 10_000
const SHARES = 200
const SHARE = 100

let given = 0

/**
 * A free port of this machine, which stays free for a program that is started there again: each
 * process of tests has a share of its own.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = MIN_PORT + (process.pid % SHARES) * SHARE + (given % SHARE)
    given += 1
    if (await isFree(port)) return port
    if (given > 10 * SHARE) throw new Error('no port of this process is free')
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
