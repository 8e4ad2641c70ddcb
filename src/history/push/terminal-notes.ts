import { readPktFrames } from './pkt-line.ts'

/** The channels that git's answer to a push has, by the byte after the length of a frame. */
const REPORT = 1
const TERMINAL = 2
const LENGTH_DIGITS = 4
const MAX_RETAINED_BYTES = 8_192

/**
 * Git's answer to a push with further lines for the client's terminal, before git reports about the refs.
 * `takeNotes` is given the end of what git has shown so far.
 */
export async function* withTerminalNotes(
  answer: AsyncIterable<Buffer>,
  takeNotes: (shown: string) => readonly string[],
): AsyncGenerator<Buffer> {
  let shown = ''
  for await (const frame of readPktFrames(answer)) {
    const channel = frame[LENGTH_DIGITS]
    if (channel === TERMINAL) shown = (shown + frame.toString('latin1')).slice(-MAX_RETAINED_BYTES)
    const notes = channel === REPORT ? takeNotes(shown) : []
    for (const note of notes) yield terminalFrame(`cairn: ${note}\n`)
    if (notes.length > 0) shown = ''
    yield frame
  }
}

function terminalFrame(text: string): Buffer {
  const length = LENGTH_DIGITS + 1 + Buffer.byteLength(text)
  const digits = length.toString(16).padStart(LENGTH_DIGITS, '0')
  return Buffer.concat([Buffer.from(digits), Buffer.of(TERMINAL), Buffer.from(text)])
}

/** Git's message about a push that lacks the base of its objects. */
const LEFT_OUT = /unresolved delta|did not receive expected object/
const ADVICE = 'This builds on revisions that are in an archive: rebase it onto the served branch'

/**
 * The remedy for a push to a repository that begins after an archive. Git assumes that the server has
 * everything before the served branch, so a push based on that leaves it out, and fails before any hook.
 */
export function archiveAdvice(shown: string): readonly string[] {
  return LEFT_OUT.test(shown) ? [ADVICE] : []
}
