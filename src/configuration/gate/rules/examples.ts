import type { ReviewedProposal } from '../../../core/change-origin.ts'
import { nameKey } from '../../../core/name-key.ts'
import type { Problem } from '../../../core/problem.ts'
import { foldEntity } from '../../../document/entities/entities.ts'
import { digestOfChange, judgeChange } from './judge-change.ts'
import type {
  GateChange,
  People,
  PlanFacts,
  Question,
  Standing,
  TouchedEntity,
} from './question.ts'
import type { RulesReading } from './read-rules.ts'
import type { RuleSet } from './rule.ts'
import type { WrittenExample } from './rules-schema.ts'
import { ALLOWED } from './verdict.ts'

const NO_EFFECTS: PlanFacts = {
  starts: 0,
  stops: 0,
  gains: 0,
  removes: 0,
  jobsRunning: 0,
  willNotRun: 0,
}
const AUTHOR = 'author'

/** The examples of a file whose verdict is not what they expect. They know nobody but whom they name. */
export function checkExamples({
  file,
  rules,
  places,
}: Extract<RulesReading, { ok: true }>): readonly Problem[] {
  return (file.examples ?? []).flatMap((example, n) => {
    const [expected, found] = [expectedOf(example), foundBy(example, rules)]
    if (expected === found) return []
    const message = `The example "${example.name}" expects ${expected}, and the rules say ${found}`
    return [places.problemAt(['examples', n, 'expect'], message)]
  })
}

function expectedOf({ expect: { allowed, needs, denies, warns } }: WrittenExample): string {
  const expected = renderOutcome({
    needs: listOfTexts(needs),
    denies: listOfTexts(denies),
    warns: listOfTexts(warns),
  })
  return allowed === false && expected === 'allowed' ? 'not allowed' : expected
}

function foundBy(example: WrittenExample, rules: RuleSet): string {
  const { objections, warnings } = judgeChange(questionOf(example, rules))
  const names = (kind: 'needs' | 'denied') =>
    objections.filter((each) => each.kind === kind).map(({ rule }) => rule)
  const found = renderOutcome({
    needs: names('needs'),
    denies: names('denied'),
    warns: warnings.map(({ rule }) => rule),
  })
  const isOnlyAsked = example.expect.allowed === false && expectedOf(example) === 'not allowed'
  return isOnlyAsked && objections.length > 0 ? 'not allowed' : found
}

function renderOutcome(outcome: Readonly<Record<'needs' | 'denies' | 'warns', readonly string[]>>) {
  const parts = Object.entries(outcome).flatMap(([word, rules]) => {
    const names = [...new Set(rules)].toSorted()
    return names.length === 0 ? [] : [`${word} ${names.join(', ')}`]
  })
  return parts.length === 0 ? 'allowed' : parts.join('; ')
}

/** Without a time, no window applies. */
function questionOf(example: WrittenExample, rules: RuleSet): Question {
  const { by, door = 'put', reason = '', at, plan, approvals, overrides } = example
  const change = changeOf(example)
  const people = peopleOf([...(by ? [by] : []), ...(approvals ?? [])])
  const caller = by ?? { user: AUTHOR }
  const timed = at === undefined ? rules.rules.filter(({ windows }) => windows.length === 0) : null
  return {
    change,
    door,
    caller: {
      standing: standingOf(caller),
      credential: by?.credential ?? 'session',
      overrides: listOfTexts(overrides),
    },
    reason,
    proposal: approvals === undefined ? null : proposalOf(caller.user, approvals, change, rules),
    rules: timed === null ? rules : { ...rules, rules: timed },
    people,
    plan: { ...NO_EFFECTS, ...plan },
    now: at === undefined ? 0 : Date.parse(at),
    isRecovery: false,
    delegation: ALLOWED,
  }
}

function changeOf({ change }: WrittenExample): GateChange {
  const entities = [change].flat().map((each): TouchedEntity => {
    const { entity, change: kind = 'changed', path, group, environment } = each
    const isWhole = kind !== 'changed' || path === undefined
    const own = entity.startsWith('group/') ? [entity.slice('group/'.length)] : []
    return {
      entity,
      names: [foldEntity(entity)],
      kinds: [kind],
      groups: group === undefined ? own : listOfTexts(group),
      environments: listOfTexts(environment).map(nameKey),
      places: [{ steps: isWhole ? [] : (path ?? []), sort: sortOf(path), isWhole }],
      before: kind === 'added' ? null : 'before',
      after: kind === 'removed' ? null : 'after',
    }
  })
  return { entities }
}

function sortOf(path: readonly string[] | undefined): 'content' | 'comment' | 'layout' {
  const [only, ...others] = path ?? []
  if (others.length > 0) return 'content'
  return only === 'comment' || only === 'layout' ? only : 'content'
}

interface ExamplePerson {
  readonly user: string
  readonly roles?: readonly string[] | undefined
  readonly administers?: string | readonly string[] | undefined
}

function proposalOf(
  author: string,
  approvals: readonly ExamplePerson[],
  change: GateChange,
  rules: RuleSet,
): ReviewedProposal {
  const [digest, version] = [digestOfChange(change), rules.version]
  const reviews = approvals.map(({ user }) => {
    return { by: user, decision: 'approve', digest, rules: version } as const
  })
  const writers = [{ username: author, credential: 'session' }] as const
  return { number: 1, author, contributors: [author], writers, reviews }
}

function peopleOf(persons: readonly ExamplePerson[]): People {
  const standings = persons.map(standingOf)
  return {
    find: (name) => standings.find(({ username }) => nameKey(username) === nameKey(name)) ?? null,
    list: () => standings,
    isComplete: true,
  }
}

function standingOf({ user, roles = [], administers }: ExamplePerson): Standing {
  const parts = listOfTexts(administers)
  const administersServer = parts.includes('server')
  return {
    username: user,
    roles,
    administersServer,
    administers: (part) => administersServer || parts.includes(part),
  }
}

export function listOfTexts(texts: string | readonly string[] | undefined): readonly string[] {
  if (texts === undefined) return []
  return typeof texts === 'string' ? [texts] : texts
}
