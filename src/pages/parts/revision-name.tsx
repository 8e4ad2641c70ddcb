import type { PageFrame } from '../kit/layout.tsx'

interface RevisionNameProps {
  readonly frame: PageFrame
  readonly number: number
}

/** The number of a revision, with a link for administrators, as its page shows the whole document. */
export function RevisionName({ frame: { links, isAdministrator }, number }: RevisionNameProps) {
  const name = `r${number}`
  return isAdministrator ? <a href={links.snapshot(name)}>{name}</a> : <>{name}</>
}
