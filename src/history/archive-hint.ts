import type { History } from './history.ts'

/** A hint for a revision that is not found; empty where the whole history is at hand. */
export function archiveHint({ archived }: Pick<History, 'archived'>): string {
  return archived > 0 ? '; it may be in an archive: older revisions are' : ''
}

/** A hint for a number without a revision; empty when there never was one. */
export function archiveHintFor({ archived }: Pick<History, 'archived'>, number: number): string {
  return number >= 1 && number <= archived
    ? `: it is in an archive, as all before r${archived + 1} are`
    : ''
}
