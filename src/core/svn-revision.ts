/**
 * A revision of a Subversion material. With externals in other repositories it includes their
 * numbers, which are unrelated to its own: `12+5`.
 */
export interface SvnRevision {
  readonly own: number
  readonly others: readonly number[]
}

export function renderSvnRevision({ own, others }: SvnRevision): string {
  return [own, ...others].join('+')
}

/** Null for a text that is no such revision. */
export function parseSvnRevision(text: string): SvnRevision | null {
  if (!/^\d{1,15}(?:\+\d{1,15})*$/.test(text)) return null
  const [own = 0, ...others] = text.split('+').map(Number)
  return { own, others }
}
