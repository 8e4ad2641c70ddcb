/** The files that a `src` selects below a folder, and their names at the destination. */
export interface ArtifactPattern {
  /** The folder or file that the fixed part of the pattern names. */
  readonly base: string
  /** Whether a path relative to the base is selected; null for a pattern without wildcards. */
  readonly matches: ((path: string) => boolean) | null
}

/**
 * Parses a pattern: `*` and `?` within a name, `**` for any folders, a trailing slash for
 * everything below.
 */
export function parseArtifactPattern(src: string): ArtifactPattern {
  const steps = src
    .replaceAll('\\', '/')
    .replace(/\/$/, src.includes('*') || src.includes('?') ? '/**' : '')
    .split('/')
    .filter((step) => step !== '' && step !== '.')
  const wild = steps.findIndex((step) => /[*?]/.test(step))
  if (wild < 0) return { base: steps.join('/'), matches: null }
  const expression = new RegExp(`^${renderSteps(steps.slice(wild))}$`, 's')
  return { base: steps.slice(0, wild).join('/'), matches: (path) => expression.test(path) }
}

function renderSteps(steps: readonly string[]): string {
  const rendered = steps.map((step, index) => {
    const last = index === steps.length - 1
    if (step === '**') return last ? '.+' : '(?:[^/]+/)*'
    return last ? renderName(step) : `${renderName(step)}/`
  })
  return rendered.join('')
}

function renderName(step: string): string {
  return step
    .replaceAll(/\*+/g, '*')
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
}
