import { z } from 'zod'
import { SAMPLE_NAMES } from './sample-names.ts'
import type { Digest } from './digest.ts'
import { isObjectName, OBJECT_NAME } from './object-name.ts'

/** The name of a git commit: 40 lower-case hexadecimal characters, or 64 in a repository with SHA-256. */
export const CommitSha = z
  .string()
  .regex(new RegExp(`^${OBJECT_NAME}$`))
  .brand<'CommitSha'>()
  .meta({ example: SAMPLE_NAMES.commit })
export type CommitSha = z.infer<typeof CommitSha>

/** The same check by hand: where there is one for every revision, zod takes longer than all the rest. */
export function isCommitSha(value: unknown): value is CommitSha {
  return typeof value === 'string' && isObjectName(value)
}

/** One entry of the history: the new configuration, its author and its time. */
export interface Revision {
  readonly digest: Digest
  readonly commit: CommitSha
  readonly username: string
  /** Milliseconds since the UNIX epoch: the author time. */
  readonly time: number
  readonly schemaVersion: number
  readonly serverEdition: string
  /** `N/A` for a commit that another tool made. */
  readonly serverVersion: string
  /** The first line of the commit message: the described changes, or the words of a native commit. */
  readonly subject: string
  /** The author's reason: the body of the commit without its trailers; may be empty. */
  readonly message: string
}

/** The maximum length of the message of a revision, in characters. */
export const MAX_MESSAGE_LENGTH = 4_000

/** Characters that a line of a message cannot hold, besides the tab. */
export const UNFIT_IN_MESSAGE = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u

/** The origin of a revision. */
export const REVISION_KINDS = ['person', 'agent', 'file-system', 'git', 'upgrade'] as const
export type RevisionKind = (typeof REVISION_KINDS)[number]

/** The author of a change of the live file. */
const FILE_SYSTEM = 'Filesystem'
/** An agent registers under a name of its uuid, its address and its host name. */
const AGENT = /^agent_[^_]+_[^_]*_(.*)$/s

/** Whether the service itself signs revisions by the name, whatever its case. */
export function isServiceAuthor(username: string): boolean {
  return /^(?:filesystem$|upgrade$|agent_)/i.test(username)
}

export function revisionKindOf({
  username,
  serverVersion,
}: Pick<Revision, 'username' | 'serverVersion'>): RevisionKind {
  if (username === FILE_SYSTEM) return 'file-system'
  if (username === 'Upgrade') return 'upgrade'
  if (AGENT.test(username)) return 'agent'
  return serverVersion === 'N/A' ? 'git' : 'person'
}

/** A readable name: the host of an agent, the file of a change on disk, else the user name. */
export function shownAuthor(username: string): string {
  if (username === FILE_SYSTEM) return 'File on disk'
  const host = AGENT.exec(username)?.[1]
  return host === undefined || host === '' ? username : host
}

/** The whole message of a commit of the original server: facts without words. */
const RECORD = /^user:.*\|timestamp:\d+\|/

/** Whether the subject of a commit is a record of facts. */
export function isRecord(subject: string): boolean {
  return RECORD.test(subject)
}

/** The subject of a commit as far as it is words. */
export function shownSubject(subject: string): string {
  return isRecord(subject) ? 'Configuration changed' : subject
}
