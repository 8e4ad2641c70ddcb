import type { TextComparison } from './comparison.ts'
import { LinkButton } from '../kit/buttons.tsx'
import type { DiffPart } from './placed-regions.ts'
import type { ToolbarProps } from './toolbar.tsx'

/** Links to the other pages of a long diff. */
export function DiffPages({ comparison, query, address }: ToolbarProps) {
  const { next, previous } = comparison
  if (next === null && previous === null) return <></>
  const at = ({ start }: DiffPart) => `${address({ ...query, start })}#diff`
  return (
    <nav class="row more-regions" aria-label="Parts of the diff">
      {previous !== null && (
        <LinkButton
          rel="prev"
          href={at(previous)}
          label={`↑ Show ${wordsFor(previous, comparison)}`}
        />
      )}
      {next !== null && (
        <LinkButton rel="next" href={at(next)} label={`↓ Show ${wordsFor(next, comparison)}`} />
      )}
    </nav>
  )
}

/** `changes 31 to 40 of 210`; the lines of a part in which no change begins. */
function wordsFor({ changes, lines }: DiffPart, { total }: TextComparison): string {
  if (changes === null) return `lines ${shown(lines.start + 1)} to ${shown(lines.end)}`
  const { first, last } = changes
  const numbers =
    first === last ? `change ${shown(first)}` : `changes ${shown(first)} to ${shown(last)}`
  return `${numbers} of ${shown(total)}`
}

function shown(count: number): string {
  return count.toLocaleString('en')
}
