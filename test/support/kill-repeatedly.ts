import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { documentWith } from './documents.ts'
import { git } from './git.ts'
import { Program } from './program.ts'

const PASSWORD = 'p'
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`

export interface KillOutcome {
  readonly acknowledged: number
  /** Digests that were acknowledged and are not served any more. */
  readonly lost: readonly string[]
  readonly fsck: string
  readonly status: string
}

/**
 * Starts a real server, saves from several callers at once with git commands running beside it,
 * kills it at a random moment soon after some saves were acknowledged, and does so again. Every digest that was ever acknowledged is
 * asked for at the end.
 */
export async function killRepeatedly(options: {
  folder: string
  kills: number
  savers: number
}): Promise<KillOutcome> {
  const acknowledged = new Set<string>()
  const repository = join(options.folder, 'config-repo')
  for (let round = 0; round < options.kills; round += 1) {
    const { program, url } = await startIn(options.folder)
    const wanted = acknowledged.size + 1 + (round % 5)
    const keep = (digest: string) => {
      acknowledged.add(digest)
      if (acknowledged.size >= wanted)
        setTimeout(() => program.process.kill('SIGKILL'), Math.random() * 60)
    }
    const savers = Array.from({ length: options.savers }, (_, n) =>
      saveUntilDead(url, `r${round}-s${n}`, keep),
    )
    const reader = readUntilDead(repository, program)
    await Promise.all([program.ended(), ...savers, reader])
  }
  const { program, url } = await startIn(options.folder)
  const lost = await missingAt(url, acknowledged)
  const outcome = {
    fsck: git(repository, 'fsck', '--strict', '--no-dangling'),
    status: git(repository, 'status', '--porcelain'),
  }
  program.process.kill('SIGTERM')
  await program.ended()
  return { acknowledged: acknowledged.size, lost, ...outcome }
}

async function startIn(cwd: string): Promise<{ program: Program; url: string }> {
  const program = new Program(['serve', '--port', '0', '--admin-password', PASSWORD], { cwd })
  return { program, url: await program.line(/^cairn ready (\S+)\n$/) }
}

async function saveUntilDead(
  url: string,
  name: string,
  keep: (digest: string) => void,
): Promise<void> {
  for (let n = 0; ; n += 1) {
    const body = documentWith(`${name}-${n}`)
    const headers = { authorization: AUTHORIZATION, 'if-match': '*' }
    const answer = await attempt(() =>
      fetch(`${url}/api/admin/config.xml`, { method: 'PUT', headers, body }),
    )
    if (answer === null) return
    if (answer.status === 200) keep(createHash('md5').update(body).digest('hex'))
  }
}

/** Lets git look at the repository all the while, as an operator would. */
async function readUntilDead(repository: string, program: Program): Promise<void> {
  while (program.process.exitCode === null && program.process.signalCode === null) {
    git(repository, 'log', '--oneline', '-3')
    await wait(20)
  }
}

async function missingAt(url: string, digests: ReadonlySet<string>): Promise<string[]> {
  const missing: string[] = []
  for (const digest of digests) {
    const headers = { authorization: AUTHORIZATION }
    const response = await fetch(`${url}/api/admin/config/${digest}.xml`, { headers })
    const body = Buffer.from(await response.arrayBuffer())
    if (createHash('md5').update(body).digest('hex') !== digest) missing.push(digest)
  }
  return missing
}

/** The answer, or null when the server is gone. */
async function attempt(call: () => Promise<Response>): Promise<Response | null> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}
