import { join, relative } from 'node:path'
import { filesBelow } from './files-below.ts'
import { findHolder } from './holders.ts'
import { type Finding, lost, mendable, type Patient } from './repair-context.ts'

/** Locks that git commands left when they died: everybody else waits for them for ever. */
export async function findStaleLocks(patient: Patient): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const lock of await locksIn(patient)) {
    const name = relative(patient.repository, lock)
    const holder = await findHolder(lock, patient.repository)
    if (holder === null) {
      const facts = { what: `${name} was left by a git command that died`, remedy: 'moved aside' }
      findings.push(await mendable(patient, facts, (aside) => aside.move(lock)))
    } else {
      findings.push(lost(`${name} may be held by ${holder}`, 'let it end, then look again'))
    }
  }
  return findings
}

async function locksIn({ gitDir }: Patient): Promise<string[]> {
  const own = join(gitDir, 'cairn')
  const files = await filesBelow(gitDir)
  return files.filter((path) => path.endsWith('.lock') && !path.startsWith(`${own}/`))
}
