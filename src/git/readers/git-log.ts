import { TextDecoder } from 'node:util'
import { withoutPaths } from '../../core/faults.ts'
import { unavailable } from '../../core/errors.ts'
import { type CommitSha, isCommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../git-executable.ts'
import { ended, type PipedProcess } from '../../processes/piped-process.ts'
import type { CommitRange, CommitRecord } from '../objects/object-reader.ts'

const FIELDS = ['%H', '%P', '%an', '%at', '%cn', '%ce', '%ct', '%B']

const ARGUMENTS = [
  'log',
  '-z',
  '--date-order',
  '--no-show-signature',
  '--no-color',
  '--encoding=UTF-8',
  `--format=${FIELDS.join('%x00')}`,
]

/** To put commits in order, git reads all of them before it prints one. */
const SILENCE_MS = 120_000

/**
 * Streams the commits of a range from `git log`, as many at once as come at once. Ends the process
 * when the caller stops early, or it says nothing for long.
 */
export async function* streamLog(
  git: GitExecutable,
  gitDir: string,
  { from, until, silenceMs = SILENCE_MS }: CommitRange & { readonly silenceMs?: number },
): AsyncGenerator<readonly CommitRecord[]> {
  const range = until === null ? [from] : [from, `^${until}`]
  const child = git.start(gitDir, [...ARGUMENTS, ...range, '--'])
  const end = ended(child)
  let complaint = ''
  child.stdin.end()
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString('utf8')
  })
  try {
    yield* parseLog(outputOf(child, { end, silenceMs }))
    assertSucceeded(await end, { complaint, gitDir })
  } finally {
    child.kill('SIGKILL')
  }
}

/** The output of a process up to its end. It is killed when it keeps its reader waiting. */
async function* outputOf(
  child: PipedProcess,
  { end, silenceMs }: { readonly end: Promise<unknown>; readonly silenceMs: number },
): AsyncGenerator<Buffer> {
  let isSilent = false
  const endSilence = () => (isSilent = child.kill('SIGKILL'))
  let timer = setTimeout(endSilence, silenceMs)
  try {
    for await (const chunk of child.stdout) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(endSilence, silenceMs)
    }
    await end
  } finally {
    clearTimeout(timer)
  }
  if (isSilent) throw unavailable(`git log failed: no answer for ${silenceMs / 1_000} s`)
}

async function* parseLog(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly CommitRecord[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest: string[] = ['']
  for await (const chunk of chunks) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\0')
    rest[rest.length - 1] += first
    rest.push(...more)
    const whole = rest.length - 1 - ((rest.length - 1) % FIELDS.length)
    const commits: CommitRecord[] = []
    for (let at = 0; at < whole; at += FIELDS.length)
      commits.push(parseFields(rest.slice(at, at + FIELDS.length)))
    rest = rest.slice(whole)
    if (commits.length > 0) yield commits
  }
}

function parseFields(fields: readonly string[]): CommitRecord {
  const [sha, parents = '', author = '', time, name = '', email = '', commitTime, message = ''] =
    fields
  return {
    sha: shaOf(sha),
    parents: parents === '' ? [] : parents.split(' ').map(shaOf),
    author,
    time: milliseconds(time),
    committer: { name, email, time: milliseconds(commitTime) },
    message,
  }
}

function shaOf(text = ''): CommitSha {
  if (isCommitSha(text)) return text
  throw new RangeError(`git log has ${JSON.stringify(text)} where the name of a commit is expected`)
}

function milliseconds(seconds: string | undefined): number {
  return Number(seconds ?? 0) * 1000
}

function assertSucceeded(
  how: string,
  { complaint, gitDir }: { complaint: string; gitDir: string },
): void {
  if (how === 'exit code 0') return
  const reason = `git log failed: ${withoutPaths(complaint.trim(), { folder: gitDir }) || how}`
  throw unavailable(reason, new Error(complaint.trim() || how))
}
