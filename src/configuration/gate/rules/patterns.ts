import { nameKey } from '../../../core/name-key.ts'
import type { ChangedPlace } from './question.ts'
import type { IgnoredPlace } from './rule.ts'
import type { PathPattern } from './selectors.ts'

/** Elements with nothing inside that a path could name without naming them. */
const LEAVES = new Set(
  (
    'administrator allow approver argument artifact base deny dependency group ignore ' +
    'material operate param property resource role runif tab task user variable view'
  ).split(' '),
)
const AUTHORIZATION = 'authorization'
/** The first words of labels of users and roles with permissions. */
const PERMISSIONS = new Set(['administrator', 'approver', 'operate', 'view'])
/** Labels shorten long names and hide secrets with these. */
const SHORTENED = /[…•]/

/** Whether a name fits a pattern with `*`, both in folded spelling. */
export function matchesPattern(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop() ?? ''
  const end = name.length - last.length
  if (!name.startsWith(first) || !name.endsWith(last) || end < first.length) return false
  let at = first.length
  for (const part of parts) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/**
 * Whether a changed place may be inside what a path names, or the other way round. Where an element is
 * added, removed or too large to be compared, all of it is taken as changed.
 */
export function mayBeAt({ steps, isWhole }: ChangedPlace, pattern: PathPattern): boolean {
  if (steps.length === 0) return true
  if (isWhole && !LEAVES.has(wordOf(steps.at(-1) ?? ''))) return true
  return steps.some((_, start) => {
    const rest = steps.slice(start)
    const isLongEnough = isWhole || rest.length >= pattern.steps.length
    return isLongEnough && startsWith(rest, pattern, mayBe)
  })
}

/** Whether a changed place is certainly something that does not count. */
export function isIgnoredPlace(place: ChangedPlace, ignored: readonly IgnoredPlace[]): boolean {
  return ignored.some((each) => {
    if (each === 'comment' || each === 'layout') return place.sort === each
    return place.steps.some((_, start) => {
      const rest = place.steps.slice(start)
      return rest.length >= each.steps.length && startsWith(rest, each, isLabel)
    })
  })
}

function startsWith(
  steps: readonly string[],
  { steps: wanted }: PathPattern,
  fits: (pattern: string, label: string) => boolean,
): boolean {
  return wanted.slice(0, steps.length).every((pattern, n) => fits(pattern, nameKey(steps[n] ?? '')))
}

/** Whether a label such as `stage deploy` is what a pattern such as `stage` or `stage de*` means. */
function isLabel(pattern: string, label: string): boolean {
  if (matchesPattern(pattern, label)) return true
  const word = wordOf(label)
  return pattern === word || (pattern === AUTHORIZATION && PERMISSIONS.has(word))
}

/** The same for a label of which not everything is known. */
function mayBe(pattern: string, label: string): boolean {
  if (isLabel(pattern, label)) return true
  return SHORTENED.test(label) && wordOf(pattern) === wordOf(label)
}

function wordOf(label: string): string {
  return label.split(' ', 1)[0] ?? ''
}
