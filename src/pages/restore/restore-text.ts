import { wholeEntityWord } from '../../document/entities/entities.ts'
import type { RestorePreview } from './restore-preview.ts'
import type { Links } from '../frame/links.ts'

/** The texts and addresses on the page of a restore. */
export interface RestoreTexts {
  readonly title: string
  /** The label of the button. */
  readonly button: string
  /** The effect on the configuration. */
  readonly promise: string
  /** The address that the form is sent to. */
  readonly action: string
  /** The address to return to without restoring. */
  readonly back: string
  /** The address of the editor with the same text, or null. */
  readonly edit: string | null
}

/** The texts for each scope. */
export function restoreTexts(
  links: Links,
  { scope, revision, current, comparison }: RestorePreview,
): RestoreTexts {
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
      const isThere = !changes.some(
        (change) => change.kind === 'added' && wholeEntityWord(change) !== null,
      )
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
