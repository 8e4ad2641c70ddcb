import { FOR_OTHERS } from '../edit/propose-change.ts'
import { isAboutAll } from '../parts/change-groups.ts'
import type { RestorePreview } from './restore-preview.ts'
import type { PageFrame } from '../kit/layout.tsx'
import type { Query } from '../kit/links.ts'

/** The texts and addresses on the page of a restore. */
export interface RestoreTexts {
  readonly title: string
  /** The label of the button. */
  readonly button: string
  /** The effect on the configuration. */
  readonly promise: string
  /** Said where nothing would change. */
  readonly same: string
  /** Said where it cannot be done. */
  readonly refusal: string
  /** The address of the page, which the form is sent to as well. */
  readonly address: (query?: Query) => string
  /** The address to return to without restoring. */
  readonly back: string
  /** The address of the editor with the same text, or null. */
  readonly edit: string | null
}

/** The texts for each scope. */
export function restoreTexts(
  { links, wordsOf }: PageFrame,
  { scope, revision, current, comparison, isForOthers }: RestorePreview,
): RestoreTexts {
  const name = `r${revision.number}`
  const saved = isForOthers ? FOR_OTHERS : `Saved as r${current.number + 1}.`
  switch (scope.kind) {
    case 'revision':
      return {
        title: `Restore ${name}`,
        button: `Restore ${name}`,
        promise: `Makes ${name} current again. Later revisions stay in the history. ${saved}`,
        same: `${name} is already current. There is nothing to restore.`,
        refusal: `${name} cannot be restored`,
        address: (query) => links.restore(name, query),
        back: links.snapshot(name),
        edit: links.edit({ from: name }),
      }
    case 'entity': {
      const { kind, name: called } = scope.address
      const what = wordsOf(`${kind}/${called}`)
      const changes = comparison?.changes?.listed.groups.flatMap((group) => group.changes) ?? []
      const isThere = !changes.some((change) => change.kind === 'added' && isAboutAll(change))
      return {
        title: `Restore ${what} as of ${name}`,
        button: `Restore only this ${kind}`,
        promise: `Changes only this ${kind}, back to ${name}. Everything else stays. ${saved}`,
        same: `The ${what} is already as it was in ${name}. There is nothing to restore.`,
        refusal: `The ${what} cannot be restored`,
        address: (query) => links.restoreEntity(scope.address, name, query),
        back: links.entity(kind, called),
        edit: isThere ? links.edit({ entity: `${kind}/${called}`, from: name }) : null,
      }
    }
    case 'change': {
      const { address } = scope
      const place = address === null ? '' : ` in ${wordsOf(`${address.kind}/${address.name}`)}`
      const what = `${scope.isRest ? `the rest of ${name}` : name}${place}`
      const again = ', except where it was changed again'
      const which = scope.isRest ? `${name}${place}${again}` : `only ${what}`
      const undo = address === null ? links.undo : links.undoEntity.bind(null, address)
      return {
        title: `Undo ${what}`,
        button: `Undo ${what}`,
        promise: `Reverses ${which}. Later changes stay. ${saved}`,
        same: scope.isRest
          ? `Nothing else of ${name}${place} can be undone.`
          : `The changes of ${name}${place} are already undone.`,
        refusal: `${name} cannot be undone${place}`,
        address: (query) => undo(name, scope.isRest ? { ...query, rest: '1' } : query),
        back: address === null ? links.change(revision) : links.entityChange(address, revision),
        edit: address === null ? links.editUndoing(name) : null,
      }
    }
  }
}
