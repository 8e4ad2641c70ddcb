import type { GitExecutable } from '../../git/git-executable.ts'
import { type GitEnd, tryGit } from '../../git/run-git.ts'
import type { RevisionLog } from '../log/revision-log.ts'
import type { VerifyOptions } from '../upkeep/verify.ts'
import type { Quarantine } from './quarantine.ts'

/** One fault that a check found. */
export interface RepairFinding {
  /** Describes the fault in one sentence. */
  readonly what: string
  /** `repaired`; `repairable` when nothing may be changed; `lost` when it cannot be repaired here. */
  readonly state: 'repaired' | 'repairable' | 'lost'
  /** The repair that was made, would be made, or is left to an operator. */
  readonly remedy: string
}

/** The repository under examination, and the means of a repair. */
export interface RepairContext extends VerifyOptions {
  readonly gitDir: string
  readonly git: GitExecutable
  /** Receives the files that are in the way; null when nothing may be changed. */
  readonly quarantine: Quarantine | null
  /** The `.git` folders of other repositories, which may have the missing objects. */
  readonly sources: readonly string[]
  /** The log that the repository follows, which has all of its history; null for a single server. */
  readonly log: RevisionLog | null
}

/** A finding that `repair` fixes, if changes are allowed. */
export async function repairable(
  context: RepairContext,
  { what, remedy }: Pick<RepairFinding, 'what' | 'remedy'>,
  repair: (quarantine: Quarantine) => Promise<unknown>,
): Promise<RepairFinding> {
  if (context.quarantine === null) return { what, state: 'repairable', remedy }
  await repair(context.quarantine)
  return { what, state: 'repaired', remedy }
}

export function lost(what: string, remedy: string): RepairFinding {
  return { what, state: 'lost', remedy }
}

export function gitOn({ git, gitDir }: RepairContext, ...args: readonly string[]): Promise<GitEnd> {
  return tryGit(git, gitDir, args)
}
