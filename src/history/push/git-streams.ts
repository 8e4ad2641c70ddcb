import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { type PipedProcess, signalGroup } from '../../processes/piped-process.ts'

/** What git says, as fast as it is taken. Git is ended when nobody wants the rest. */
export function outputOf(child: PipedProcess) {
  child.stdout.once('close', () => {
    if (!child.stdout.readableEnded) signalGroup(child, 'SIGTERM')
  })
  return Readable.toWeb(child.stdout)
}

/** The same for a git that has to come to its end by itself, also when nobody listens. */
export function outputToTheEnd({ stdout }: PipedProcess) {
  const output = stdout.pipe(new PassThrough())
  output.once('close', () => {
    stdout.unpipe(output)
    stdout.resume()
  })
  return Readable.toWeb(output)
}

/**
 * Gives a body to git as fast as it is taken. What git does not want, or what is over the limit, is
 * read and let go, so that the client hears why. When the body breaks off, so does git's input: git
 * then tidies up by itself.
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
