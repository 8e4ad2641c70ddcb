import { isSameName } from '../../../core/name-key.ts'
import { isMove } from '../../../document/changes/entities-of.ts'
import { DOCUMENT, wholeEntityWord } from '../../../document/entities/entities.ts'
import type { DocumentChange } from '../../../document/entities/change.ts'
import { isLayoutOfAll, namedByChanges } from '../describe-change.ts'
import { mayRunOtherwiseBy } from '../running-form.ts'
import { type EntityMatch, matchedEntities } from '../rules/match.ts'
import type { TouchedEntity } from '../rules/question.ts'
import type { GateRule, RuleNeed } from '../rules/rule.ts'
import type { EntitySelector } from '../rules/selectors.ts'
import { endOfWindows } from '../rules/windows.ts'
import type { PastOrigin } from './past-origin.ts'

/** The changes of a revision as the index has them, and what they may bring about beside it. */
export interface IndexedChange {
  readonly entities: readonly TouchedEntity[]
  /** Whether pipelines that are not named may run otherwise. */
  readonly mayReachPipelines: boolean
  /** Whether any entity may be written otherwise. */
  readonly isLayoutOfAll: boolean
  /** Whether only the insides of pipelines and other things that nothing is made of differ. */
  readonly isInside: boolean
  /** Whether groups, environments and rights stay as they were. */
  readonly keepsOrder: boolean
}

const PIPELINE = 'pipeline/'
/** Entities of which nothing else is made. */
const ALONE = /^(?:pipeline|agent|config-repo|artifact-store)\//
/** Entities that say nothing of groups, environments and rights. */
const WITHOUT_ORDER =
  /^(?:pipeline|agent|config-repo|artifact-store|repository|scm|secret-config|cluster-profile|agent-profile)\//

export function indexedChange(changes: readonly DocumentChange[]): IndexedChange {
  const entities = namedByChanges(changes)
  const isWhole = changes.some(
    (change) =>
      change.entity.startsWith(PIPELINE) && (wholeEntityWord(change) !== null || isMove(change)),
  )
  const mayReachPipelines = entities.some(({ names, places }) =>
    names.some((name) => mayRunOtherwiseBy(name, places)),
  )
  const isOfAll = changes.some(isLayoutOfAll)
  return {
    entities,
    mayReachPipelines,
    isLayoutOfAll: isOfAll,
    isInside:
      !isWhole &&
      !mayReachPipelines &&
      !isOfAll &&
      entities.every(({ entity }) => ALONE.test(entity)),
    keepsOrder: !isWhole && changes.every(leavesOrder),
  }
}

function leavesOrder({ entity, kind }: DocumentChange): boolean {
  return WITHOUT_ORDER.test(entity) || (entity === DOCUMENT && kind === 'reformatted')
}

/** A rule with a form of its match that fits wherever the rule may. */
export interface SiftedRule {
  readonly rule: GateRule
  readonly wide: EntityMatch
  /** Whether it may be about a pipeline that changes by something else. */
  readonly mayMeanPipelines: boolean
}

export function siftedRule(rule: GateRule): SiftedRule {
  const { entities, kinds } = rule.match
  const mayMean = entities === null || entities.some(mayMeanPipelines)
  return {
    rule,
    wide: { ...rule.match, entities: entities && entities.flatMap(widened) },
    mayMeanPipelines: mayMean && (kinds === null || kinds.includes('changed')),
  }
}

/** Groups and environments are not told by the words of changes. */
function widened(selector: EntitySelector): readonly EntitySelector[] {
  const pipelines: EntitySelector = { kind: 'named', pattern: `${PIPELINE}*` }
  switch (selector.kind) {
    case 'named':
      return [selector]
    case 'pipelines-in-group':
      return [pipelines]
    case 'environment':
      return [pipelines, { kind: 'named', pattern: `environment/${selector.environment}` }]
  }
}

function mayMeanPipelines(selector: EntitySelector): boolean {
  if (selector.kind !== 'named') return true
  const [fixed = ''] = selector.pattern.split('*', 1)
  return fixed.startsWith(PIPELINE) || (selector.pattern !== fixed && PIPELINE.startsWith(fixed))
}

/** Whether a change may be held up or warned of by a rule; where it is not met for sure, its documents tell. */
export function mayObject(
  { rule, wide, mayMeanPipelines: isOfPipelines }: SiftedRule,
  { entities, mayReachPipelines, isLayoutOfAll: isOfAll }: IndexedChange,
  { principal, proposal, reason, time }: PastOrigin,
): boolean {
  const { match, windows, needs, effect } = rule
  const callers = [principal?.username, proposal?.author]
  if (match.users !== null && !match.users.some((user) => isOneOfNames(callers, user))) return false
  if (windows.length > 0 && endOfWindows(windows, time) === null) return false
  if (effect === 'need' && reason !== '' && needs.every(({ kind }) => kind === 'reason'))
    return false
  if (isOfAll || (mayReachPipelines && isOfPipelines)) return true
  return matchedEntities(wide, { rule, entities }).length > 0
}

function isOneOfNames(names: readonly (string | undefined)[], user: string): boolean {
  return names.some((name) => name !== undefined && isSameName(user, name))
}

/** Whether a rule that may object does so for sure, whatever groups, environments, rights and the plan are. */
export function objectsForSure(
  { rule }: SiftedRule,
  { entities }: IndexedChange,
  { principal, reason, proposal }: PastOrigin,
): boolean {
  const { match, except, override, effect, needs, not } = rule
  if (proposal !== null || match.roles !== null || match.plan !== null) return false
  if (except.length > 0 || (override !== null && (principal?.overrides ?? []).length > 0))
    return false
  const isNeeded = (need: RuleNeed) => {
    if (need.kind === 'reason') return reason === ''
    return need.when === null && (need.count > 1 || not.length > 0 || principal === null)
  }
  const isMissing = effect !== 'need' || needs.some(isNeeded)
  return isMissing && matchedEntities(match, { rule, entities }).length > 0
}
