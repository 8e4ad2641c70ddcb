import { join, relative } from 'node:path'
import { filesBelow } from './files-below.ts'
import { findHolder } from './holders.ts'
import { type RepairFinding, lost, repairable, type RepairContext } from './repair-context.ts'

/** Finds locks of git commands that died. Other commands would wait for them forever. */
export async function findStaleLocks(context: RepairContext): Promise<RepairFinding[]> {
  const findings: RepairFinding[] = []
  for (const lock of await locksIn(context)) {
    const name = relative(context.repository, lock)
    const holder = await findHolder(lock, context.repository)
    if (holder === null) {
      const facts = { what: `${name} was left by a git command that died`, remedy: 'moved aside' }
      findings.push(await repairable(context, facts, (quarantine) => quarantine.move(lock)))
    } else {
      findings.push(lost(`${name} may be held by ${holder}`, 'let it end, then look again'))
    }
  }
  return findings
}

async function locksIn({ gitDir }: RepairContext): Promise<string[]> {
  const own = join(gitDir, 'cairn')
  const files = await filesBelow(gitDir)
  return files.filter((path) => path.endsWith('.lock') && !path.startsWith(`${own}/`))
}
