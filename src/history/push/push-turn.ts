import type { Duplex } from 'node:stream'
import { CommitSha } from '../../core/revision.ts'
import { type PktLine, readPktLines, renderPktLine } from './pkt-line.ts'

/** A ref that a push wants to move. Its commits were checked and are in the repository. */
export interface PushedRef {
  readonly ref: string
  readonly from: CommitSha
  readonly to: CommitSha
}

/** The version of the protocol, with what the client has asked for. */
const ATOMIC = /\0.*\batomic\b/
/** A proposal cannot be taken back where the branch is refused. */
const NOT_AT_ONCE = 'several refs cannot be pushed with --atomic: push one at a time'

/** Moves a ref. Returns null on success, else the reason in a few words. */
export type MoveRef = (pushed: PushedRef) => Promise<string | null>

/**
 * Answers for git's `proc-receive` hook, the last step of a push: the objects are in the
 * repository, and `move` decides about each ref. Ends when git does.
 */
export async function answerPush(channel: Duplex, move: MoveRef): Promise<void> {
  const lines = readPktLines(channel)
  const [greeting] = await readList(lines)
  if (greeting === undefined) return
  send(channel, ['version=1', null])
  const pushed = (await readList(lines)).map(readRef)
  const isSplit = pushed.length > 1 && ATOMIC.test(greeting)
  for (const each of pushed) {
    const reason = isSplit ? NOT_AT_ONCE : await move(each)
    send(channel, [reason === null ? `ok ${each.ref}` : `ng ${each.ref} ${reason}`])
  }
  send(channel, [null])
  channel.end()
}

function readRef(line: string): PushedRef {
  const [from, to, ...name] = line.split(' ')
  return { ref: name.join(' '), from: CommitSha.parse(from), to: CommitSha.parse(to) }
}

async function readList(lines: AsyncGenerator<PktLine>): Promise<string[]> {
  const list: string[] = []
  for (;;) {
    const { value, done } = await lines.next()
    if (done === true || value === null) return list
    list.push(value)
  }
}

function send(channel: Duplex, lines: readonly PktLine[]): void {
  channel.write(lines.map(renderPktLine).join(''))
}
