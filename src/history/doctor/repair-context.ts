import type { GitExecutable } from '../../git/git-executable.ts'
import { type GitEnd, tryGit } from '../../git/run-git.ts'
import type { VerifyOptions } from '../upkeep/verify.ts'
import type { Quarantine } from './quarantine.ts'

/** One thing that is wrong. */
export interface RepairFinding {
  /** A sentence. */
  readonly what: string
  /** `mended`; `mendable` when nothing was to be changed; `lost` when nothing here can mend it. */
  readonly state: 'mended' | 'mendable' | 'lost'
  /** What was done, would be done, or is to be done by somebody. */
  readonly remedy: string
}

/** The repository that is looked at, and what may be done to it. */
export interface RepairContext extends VerifyOptions {
  readonly gitDir: string
  readonly git: GitExecutable
  /** Where things are moved; null when nothing may be changed. */
  readonly quarantine: Quarantine | null
  /** The `.git` folders of other repositories that may have what is missing here. */
  readonly sources: readonly string[]
}

/** A finding that is mended by `mend` if something may be changed. */
export async function repairable(
  patient: RepairContext,
  { what, remedy }: Pick<RepairFinding, 'what' | 'remedy'>,
  mend: (aside: Quarantine) => Promise<unknown>,
): Promise<RepairFinding> {
  if (patient.quarantine === null) return { what, state: 'mendable', remedy }
  await mend(patient.quarantine)
  return { what, state: 'mended', remedy }
}

export function lost(what: string, remedy: string): RepairFinding {
  return { what, state: 'lost', remedy }
}

export function gitOn({ git, gitDir }: RepairContext, ...args: readonly string[]): Promise<GitEnd> {
  return tryGit(git, gitDir, args)
}
