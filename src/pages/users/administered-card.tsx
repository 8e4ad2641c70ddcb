import type { AdministeredParts } from '../../configuration/access/access.ts'
import type { PageFrame } from '../kit/layout.tsx'
import { FirstOf } from '../kit/lists.tsx'

/** The parts that are listed one by one. */
const MAX_PARTS = 50

/** The groups and templates that the caller administers, each with the way to it. */
export function AdministeredCard({ frame, administers }: AdministeredCardProps) {
  const { links, isAdministrator } = frame
  const parts = [
    ...administers.groups.map((name) => ({ kind: 'group', name })),
    ...administers.templates.map((name) => ({ kind: 'template', name })),
  ]
  return (
    <section class="card">
      <h2>What I administer</h2>
      {isAdministrator ? (
        <p>The whole server.</p>
      ) : parts.length === 0 ? (
        <p>No groups or templates. An administrator can give you permissions.</p>
      ) : (
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
      )}
    </section>
  )
}

interface AdministeredCardProps {
  readonly frame: PageFrame
  readonly administers: AdministeredParts
}
