import { normalize } from 'node:path/posix'

/** Whether a path is relative and stays inside the folder it is relative to. */
export function staysInside(path: string): boolean {
  const slashed = path.replaceAll('\\', '/')
  if (/^(\/|~|[A-Za-z]:)/.test(slashed)) return false
  return !/^\.\.(\/|$)/.test(normalize(slashed))
}

/** A path in the one form that all its spellings have. */
export function normalPath(path: string): string {
  return normalize(path.replaceAll('\\', '/')).replace(/\/$/, '')
}

/** Whether a path has the form that the schema asks of destinations. */
export function hasPathForm(path: string): boolean {
  return /^(?:[^. ].+[^. ]|[^. ]{1,2})$/.test(path)
}
