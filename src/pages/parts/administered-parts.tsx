import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import type { Links } from '../kit/links.ts'
import { FirstOf } from '../kit/lists.tsx'

/** The parts that are listed one by one. */
const MAX_PARTS = 50

interface AdministeredPartsProps {
  readonly links: Links
  readonly parts: readonly EntityPlace[]
}

/** The groups and templates that the caller administers, each with its history and its form. */
export function AdministeredParts({ links, parts }: AdministeredPartsProps) {
  return (
    <FirstOf
      class="rows"
      items={parts}
      most={MAX_PARTS}
      of={({ kind, name }) => (
        <>
          {`${kind} `}
          <a href={links.entity(kind, name)}>{name}</a>
          {' · '}
          <a href={links.form({ kind, name })} aria-label={`Edit ${kind} ${name}`}>
            Edit
          </a>
        </>
      )}
    />
  )
}
