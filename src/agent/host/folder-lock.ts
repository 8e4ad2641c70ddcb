import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Keeps a second agent out of a folder. The lock is a name that the kernel frees when the
 * process ends, however it ends.
 *
 * @throws when an agent already works in the folder.
 */
export async function lockFolder(folder: string): Promise<Disposable> {
  const digest = createHash('sha256').update(folder).digest('hex')
  const server = createServer((socket) => socket.destroy())
  server.listen(`\0cairn-agent-${digest}`)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new Error(`Another agent works in ${folder}`, { cause: error })
  }
  server.unref()
  return { [Symbol.dispose]: () => server.close() }
}
