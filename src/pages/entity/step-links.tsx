import type { ShownStep } from './entity-history.ts'
import { foldEntity, wholeEntityWord } from '../../document/entities/entities.ts'
import { EntityName } from '../work/edit-scope.ts'
import type { EntityViewProps } from './entity-view.tsx'

/** The actions on a step: show its text, compare it, restore it. */
export function StepLinks({
  frame: { links },
  entity,
  step,
}: EntityViewProps & { step: ShownStep }) {
  const { address, now, total, offset, steps } = entity
  const { number } = step.revision
  const isNewest = offset === 0 && steps[0] === step
  const name = `r${number}`
  return (
    <span class="step-links">
      {number > 1 && (
        <a href={links.compareEntity(address, { from: `r${number - 1}`, to: name })}>
          Diff<span class="visually-hidden">{` of ${name}`}</span>
        </a>
      )}
      {!isNewest && total > 1 && (
        <a href={links.compareEntity(address, { from: name, to: 'current' })}>
          Diff to current<span class="visually-hidden">{` from ${name}`}</span>
        </a>
      )}
      {(!isNewest || now === null) && isRestorable(entity, step) && (
        <a href={links.restoreEntity(address, name)}>
          {`Restore only this ${address.kind}…`}
          <span class="visually-hidden">{` as of ${name}`}</span>
        </a>
      )}
    </span>
  )
}

/** A step that removed the entity has nothing to restore. */
function isRestorable(
  { address, isAdministrator }: EntityViewProps['entity'],
  { changes, entity }: ShownStep,
): boolean {
  const isRemoval = changes.some(
    (change) =>
      change.kind === 'removed' &&
      foldEntity(change.entity) === entity &&
      wholeEntityWord(change) !== null,
  )
  return isAdministrator && EntityName.safeParse(address).success && !isRemoval
}
