/** Whether a path is relative and stays inside the folder it is relative to. */
export function staysInside(path: string): boolean {
  const slashed = path.replaceAll('\\', '/')
  if (/^(\/|~|[A-Za-z]:)/.test(slashed)) return false
  return normalSteps(slashed)[0] !== '..'
}

/** A path in the one form that all its spellings have. */
export function normalPath(path: string): string {
  const slashed = path.replaceAll('\\', '/')
  const steps = normalSteps(slashed)
  if (!slashed.startsWith('/')) return steps.length === 0 ? '.' : steps.join('/')
  return steps
    .filter((step) => step !== '..')
    .map((step) => `/${step}`)
    .join('')
}

/** The steps of a path that lead somewhere. Node's own normalizing takes the square of many `..`. */
export function normalSteps(path: string): string[] {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else steps.push(step)
  }
  return steps
}

/** Whether a path has the form that the schema asks of destinations. */
export function hasPathForm(path: string): boolean {
  return /^(?:[^. ].+[^. ]|[^. ]{1,2})$/.test(path)
}
