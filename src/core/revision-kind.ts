import type { Revision } from './revision.ts'

/** The origin of a revision. */
export const REVISION_KINDS = ['person', 'agent', 'file-system', 'git', 'upgrade'] as const
export type RevisionKind = (typeof REVISION_KINDS)[number]

/** An agent registers under a name of its uuid, its address and its host name. */
const AGENT = /^agent_[^_]+_[^_]*_(.*)$/s

export function revisionKindOf({
  username,
  serverVersion,
}: Pick<Revision, 'username' | 'serverVersion'>): RevisionKind {
  if (username === 'Filesystem') return 'file-system'
  if (username === 'Upgrade') return 'upgrade'
  if (AGENT.test(username)) return 'agent'
  return serverVersion === 'N/A' ? 'git' : 'person'
}

/** A readable name: the host of an agent, else the user name. */
export function shownAuthor(username: string): string {
  const host = AGENT.exec(username)?.[1]
  return host === undefined || host === '' ? username : host
}
