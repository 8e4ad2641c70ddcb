import type { ToolbarProps } from './toolbar.tsx'

/** Links to the other pages of a long diff. */
export function DiffPages({ comparison, query, address }: ToolbarProps) {
  const { next, previous, remaining } = comparison
  if (next === null && previous === null) return <></>
  const at = (start: number) => `${address({ ...query, start })}#diff`
  return (
    <nav class="more-regions" aria-label="Parts of the diff">
      {previous !== null && (
        <a class="button" rel="prev" href={at(previous)}>
          Show the regions before
        </a>
      )}
      {next !== null && (
        <a class="button" rel="next" href={at(next)}>
          {remaining === 1
            ? 'Show the remaining changed region'
            : `Show the remaining ${remaining.toLocaleString('en')} changed regions`}
        </a>
      )}
    </nav>
  )
}
