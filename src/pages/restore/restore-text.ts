import type { RestorePreview } from './restore-preview.ts'
import type { Links } from '../frame/links.ts'

/** What a page of a restore says, and where it leads. */
export interface RestoreWords {
  readonly title: string
  /** What the button does. */
  readonly button: string
  /** What becomes of the configuration. */
  readonly promise: string
  /** Where the form is sent. */
  readonly action: string
  /** Where it is left to. */
  readonly back: string
  /** Where the same text can be changed before it is saved, or null. */
  readonly edit: string | null
}

/** The words of each scope. */
export function restoreWords(
  links: Links,
  { scope, revision, current, comparison }: RestorePreview,
): RestoreWords {
  const name = `r${revision.number}`
  const next = `r${current.number + 1}`
  switch (scope.kind) {
    case 'revision':
      return {
        title: `Restore ${name}`,
        button: `Restore ${name}`,
        promise: `The text of ${name} becomes ${next}. What came since stays in the history.`,
        action: links.restore(name),
        back: links.snapshot(name),
        edit: links.edit({ from: name }),
      }
    case 'entity': {
      const { kind, name: called } = scope.address
      const changes = comparison?.changes ?? []
      const isThere = !changes.some(({ kind: what, path }) => what === 'added' && path.length === 0)
      return {
        title: `Restore ${kind} ${called} as of ${name}`,
        button: `Restore only this ${kind}`,
        promise: `Only this ${kind} becomes what it was in ${name}; everything else stays as it is. That is ${next}.`,
        action: links.restoreEntity(scope.address, name),
        back: links.entity(kind, called),
        edit: isThere ? links.edit({ entity: `${kind}/${called}`, from: name }) : null,
      }
    }
    case 'change':
      return {
        title: `Undo ${name}`,
        button: `Undo ${name}`,
        promise: `What ${name} changed becomes what it was before; what came since stays. That is ${next}.`,
        action: links.undo(name),
        back: links.compare(`r${Math.max(1, revision.number - 1)}`, name),
        edit: null,
      }
  }
}
