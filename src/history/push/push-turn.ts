import type { Duplex } from 'node:stream'
import { CommitSha } from '../../core/revision.ts'
import { type PktLine, readPktLines, renderPktLine } from './pkt-line.ts'

/** A ref that a push wants to move. Its commits were checked and are in the repository. */
export interface PushedRef {
  readonly ref: string
  readonly from: CommitSha
  readonly to: CommitSha
}

/** Moves a ref. Returns null on success, else the reason in a few words. */
export type MoveRef = (pushed: PushedRef) => Promise<string | null>

/**
 * Answers for git's `proc-receive` hook, the last step of a push: the objects are in the
 * repository, and `move` decides about each ref. Ends when git does.
 */
export async function answerPush(channel: Duplex, move: MoveRef): Promise<void> {
  const lines = readPktLines(channel)
  if ((await readList(lines)).length === 0) return
  send(channel, ['version=1', null])
  for (const line of await readList(lines)) {
    const [from, to, ...name] = line.split(' ')
    const ref = name.join(' ')
    const reason = await move({ ref, from: CommitSha.parse(from), to: CommitSha.parse(to) })
    send(channel, [reason === null ? `ok ${ref}` : `ng ${ref} ${reason}`])
  }
  send(channel, [null])
  channel.end()
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
