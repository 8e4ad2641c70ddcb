import type { Child } from 'hono/jsx'

/** A term with what it is; null for a fact that does not apply. */
export type Fact = readonly [term: string, description: Child] | null

interface FactsProps {
  readonly facts: readonly Fact[]
  /** The name of the part on a page that updates itself. */
  readonly part?: string
}

/** Terms in a column, each with its description. */
export function Facts({ facts, part }: FactsProps) {
  return (
    <dl class="facts" data-part={part}>
      {facts.map(
        (fact) =>
          fact !== null && (
            <>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </>
          ),
      )}
    </dl>
  )
}
