import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { type PipedProcess, signalGroup } from '../../processes/piped-process.ts'

/** Streams git's output with back-pressure. Ends git when the reader stops early. */
export function outputOf(child: PipedProcess) {
  child.stdout.once('close', () => {
    if (!child.stdout.readableEnded) signalGroup(child, 'SIGTERM')
  })
  return Readable.toWeb(child.stdout)
}

/** Streams the output of a git process that must run to its end, even when the reader stops early. */
export function outputToTheEnd({ stdout }: PipedProcess) {
  const output = stdout.pipe(new PassThrough())
  output.once('close', () => {
    stdout.unpipe(output)
    stdout.resume()
  })
  return Readable.toWeb(output)
}

/**
 * Pipes a body into git with back-pressure. The rest of a body that git does not read, or that
 * exceeds the limit, is drained, so that the client can receive the reason. When the body breaks
 * off, git's input closes, and git cleans up.
 */
export async function feed(
  { stdin }: PipedProcess,
  { body, limit }: { body: AsyncIterable<Uint8Array>; limit: number },
): Promise<void> {
  const closed = new Promise((resolve) => stdin.once('close', resolve))
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > limit) stdin.destroy()
      if (stdin.writable && !stdin.write(chunk)) await Promise.race([once(stdin, 'drain'), closed])
    }
    stdin.end()
  } catch {
    stdin.destroy()
  }
}
