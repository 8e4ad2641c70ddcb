import { readPktFrames } from './pkt-line.ts'

/** Git's message about a push that lacks the base of its objects. */
const LEFT_OUT = /unresolved delta|did not receive expected object/
const ADVICE =
  'cairn: This builds on revisions that are in an archive: rebase it onto the served branch\n'

/** The channels that git's answer to a push has, by the byte after the length of a frame. */
const REPORT = 1
const TERMINAL = 2
const LENGTH_DIGITS = 4
const MAX_RETAINED_BYTES = 8_192

/**
 * Git's answer to a push to a repository that begins after an archive. Git assumes that the server
 * has everything before the served branch, so a push based on that leaves it out, and fails before
 * any hook. The client's terminal then shows the remedy.
 */
export async function* withArchiveAdvice(answer: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let shown = ''
  for await (const frame of readPktFrames(answer)) {
    const channel = frame[LENGTH_DIGITS]
    if (channel === TERMINAL) shown = (shown + frame.toString('latin1')).slice(-MAX_RETAINED_BYTES)
    if (channel === REPORT && LEFT_OUT.test(shown)) {
      yield terminalFrame(ADVICE)
      shown = ''
    }
    yield frame
  }
}

function terminalFrame(text: string): Buffer {
  const length = LENGTH_DIGITS + 1 + Buffer.byteLength(text)
  const digits = length.toString(16).padStart(LENGTH_DIGITS, '0')
  return Buffer.concat([Buffer.from(digits), Buffer.of(TERMINAL), Buffer.from(text)])
}
