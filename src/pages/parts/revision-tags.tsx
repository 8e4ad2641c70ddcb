import type { Links } from '../kit/links.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'

/** The tags of a revision. */
export function TagBadges({ revision: { tags } }: { revision: NumberedRevision }) {
  return (
    <>
      {tags.map((tag) => (
        <>
          {' '}
          <span class="badge" title={`Tag ${tag}`}>
            <span class="visually-hidden">tag </span>
            {tag}
          </span>
        </>
      ))}
    </>
  )
}

/** A name that was refused, and why. */
export interface RefusedTag {
  readonly name: string
  readonly reason: string
}

interface TagLineProps {
  readonly links: Links
  readonly revision: NumberedRevision
  /** The other revision of the comparison to return to; null for the page of the revision. */
  readonly from: string | null
  readonly refused?: RefusedTag | null
}

/** The tags of a revision, each with a button that removes it. */
export function TagLine({ links, revision, from }: Omit<TagLineProps, 'refused'>) {
  if (revision.tags.length === 0) return <></>
  const action = links.removeTag(`r${revision.number}`)
  return (
    <form class="row tags" method="post" action={action} aria-label="Tags">
      <BackTo from={from} />
      {revision.tags.map((tag) => (
        <span class="badge">
          {tag}
          <button name="name" value={tag} aria-label={`Remove tag ${tag}`}>
            ×
          </button>
        </span>
      ))}
    </form>
  )
}

function BackTo({ from }: Pick<TagLineProps, 'from'>) {
  return from === null ? <></> : <input type="hidden" name="from" value={from} />
}

/** Tags a revision. */
export function TagForm({ links, revision, from, refused = null }: TagLineProps) {
  const name = `r${revision.number}`
  return (
    <details open={refused !== null}>
      <summary>{`Tag ${name}`}</summary>
      <form class="row" method="post" action={links.tags(name)} aria-label={`Tag ${name}`}>
        <BackTo from={from} />
        <input
          name="name"
          value={refused?.name}
          required
          maxlength={200}
          placeholder="v1.0"
          aria-label="Name of the tag"
          aria-invalid={refused === null ? undefined : 'true'}
          aria-describedby={refused === null ? undefined : 'tag-refused'}
        />
        <button>Add tag</button>
        {refused !== null && (
          <span id="tag-refused" class="problem" role="alert">
            {refused.reason}
          </span>
        )}
      </form>
    </details>
  )
}
