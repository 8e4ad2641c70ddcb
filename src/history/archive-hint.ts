import type { History } from './history.ts'

/** A hint for a revision that is not found; empty where the whole history is at hand. */
export function archiveHint(history: Pick<History, 'kept' | 'size'>): string {
  return history.size() > history.kept() ? '; it may be in an archive: older revisions are' : ''
}

/** A hint for a number without a revision; empty when there never was one. */
export function archiveHintFor(history: Pick<History, 'kept' | 'size'>, number: number): string {
  const archived = history.size() - history.kept()
  return number >= 1 && number <= archived
    ? `: it is in an archive, as all before r${archived + 1} are`
    : ''
}
