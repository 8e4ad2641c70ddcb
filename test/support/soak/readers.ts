import { execFile } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { RevisionEntry } from '../../../src/wire/revision-bodies.ts'
import { PLAIN_GIT } from '../git/git.ts'
import type { SoakedServer } from './soaked-server.ts'

const LOOKS = [
  ['log', '--stat', '-3'],
  ['status', '--porcelain'],
  ['rev-parse', '--verify', 'HEAD^{tree}'],
  ['diff', '--stat', 'HEAD~1', 'HEAD'],
]
const run = promisify(execFile)

/** Reads old snapshots and differences, the whole list, and what git tells. */
export function readUntilGone(server: SoakedServer): Promise<void>[] {
  const commits: string[] = []
  return [
    server.untilGone(() => readSnapshot(server)),
    server.untilGone(() => readDifference(server, commits)),
    server.untilGone(() => readList(server, commits)),
    server.untilGone(() => readWithGit(server)),
  ]
}

export async function revisionsOf(server: SoakedServer): Promise<RevisionEntry[]> {
  const response = await server.call('/api/config/revisions', [200])
  return z.array(RevisionEntry).parse(await response.json())
}

async function readSnapshot(server: SoakedServer): Promise<void> {
  const digest = anyOf([...server.ledger.digests])
  if (digest !== undefined && !(await server.serves(digest)))
    server.ledger.complain(`${digest} is not served`)
  else server.ledger.count('snapshots read')
  await wait(20)
}

async function readDifference(server: SoakedServer, commits: readonly string[]): Promise<void> {
  const [from, to] = [anyOf(commits), anyOf(commits)]
  await wait(30)
  if (from === undefined || to === undefined) return
  await server.call(`/api/config/diff/${from}/${to}`, [200])
  server.ledger.count('differences read')
}

/** Reads a list, which has to hold what was acknowledged before it is asked for. */
async function readList(server: SoakedServer, commits: string[]): Promise<void> {
  const before = [...server.ledger.digests]
  const list = await revisionsOf(server)
  const digests = new Set(list.map(({ md5 }) => String(md5)))
  for (const digest of before) {
    if (!digests.has(digest)) server.ledger.complain(`${digest} is not in the list`)
  }
  commits.splice(0, commits.length, ...list.map(({ commitSHA }) => commitSHA))
  server.ledger.count('lists read')
  await wait(300)
}

async function readWithGit(server: SoakedServer): Promise<void> {
  const args = anyOf(LOOKS) ?? []
  try {
    await run('git', args, { cwd: server.repository, env: PLAIN_GIT })
    server.ledger.count('looks with git')
  } catch (error) {
    server.ledger.complain(`git ${args[0]}: ${String(error)}`)
  }
  // The one call that tells this reader that the server is gone.
  await server.call('/health/live', [200])
  await wait(100)
}

function anyOf<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)]
}
