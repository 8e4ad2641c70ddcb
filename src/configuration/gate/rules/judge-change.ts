import { hash } from 'node:crypto'
import type { Door, ProposalWriter, Review, ReviewedProposal } from '../../../core/change-origin.ts'
import { nameKey } from '../../../core/name-key.ts'
import { isSamePerson } from '../../../core/principal.ts'
import { DOCUMENT } from '../../../document/entities/entities.ts'
import type {
  GateCaller,
  GateChange,
  People,
  Question,
  Standing,
  TouchedEntity,
} from './question.ts'
import { type ChangeAuthor, fitsCaller, fitsPlan, matchedEntities } from './match.ts'
import type { RuleNeed, GateRule } from './rule.ts'
import { isOneOf, phraseOf, unnamed } from './people.ts'
import type { PersonSelector } from './selectors.ts'
import { endOfWindows } from './windows.ts'
import { A_REASON, type NeededApprovals, type Objection, type Verdict } from './verdict.ts'

type ApprovalsNeed = Extract<RuleNeed, { kind: 'approvals' }>

/** A rule that a change meets, with the entities that it meets it by. */
interface MetRule {
  readonly rule: GateRule
  readonly entities: readonly TouchedEntity[]
  readonly until: number | null
  readonly mayName: NonNullable<Question['mayName']>
}

/**
 * The verdict of the gate: the built-in rule of delegation, and all rules of the base. Several rules add
 * up. Everything that it depends on is in the question, so that it can be asked again later.
 */
export function judgeChange(question: Question): Verdict {
  const met = metRules(question).filter(({ rule }) => fitsPlan(rule, question.plan))
  const overridden = met.filter((each) => mayPass(each, question)).map(({ rule }) => rule.name)
  const binding = met.filter(({ rule }) => !overridden.includes(rule.name))
  const warnings = binding.filter(({ rule }) => rule.effect === 'warn').map(warningOf)
  const byRules = binding.flatMap((each) => objectionsOf(each, question))
  const isPassed = mayRecover(question)
  const objections = [...objectionsOfDelegation(question), ...(isPassed ? [] : byRules)]
  const recovered = isPassed ? [...new Set(byRules.map(({ rule }) => rule))] : []
  return { kind: kindOf(objections), objections, warnings, overridden, recovered }
}

/** Whether a rule that a change meets otherwise asks for the numbers of its plan. */
export function asksForPlan(question: Omit<Question, 'plan' | 'delegation'>): boolean {
  if (question.rules.rules.every(({ match }) => match.plan === null)) return false
  return metRules(question).some(({ rule }) => rule.match.plan !== null)
}

/**
 * The digest of a change that an approval holds for: of the bytes of each entity whose own bytes
 * change, before and after. Changes elsewhere leave it as it is.
 */
export function digestOfChange({ entities }: GateChange): string {
  const lines = entities
    .filter(({ before, after }) => before !== after)
    .map(({ names, before, after }) => JSON.stringify([names, before, after]))
  return hash('sha256', lines.toSorted().join('\n'))
}

/** Whether the approval of a person would count. */
function mayApprove(
  { of, within, excluded }: Pick<NeededApprovals, 'of' | 'within' | 'excluded'>,
  standing: Standing,
): boolean {
  return !excluded.includes(nameKey(standing.username)) && isOneOf(of, standing, within)
}

/** The users whose approvals would count and are not given yet. */
export function candidatesFor(
  approvals: NeededApprovals,
  people: Pick<People, 'list'>,
): readonly string[] {
  const given = approvals.given.map(nameKey)
  return people
    .list()
    .filter((each) => mayApprove(approvals, each) && !given.includes(nameKey(each.username)))
    .map(({ username }) => username)
}

function metRules(question: Omit<Question, 'plan' | 'delegation'>): readonly MetRule[] {
  const callers = callersOf(question)
  const { mayName = () => true } = question
  return question.rules.rules.flatMap((rule) => {
    const until = endOfWindows(rule.windows, question.now)
    if (rule.windows.length > 0 && until === null) return []
    if (!fitsCaller(rule, { door: question.door, callers })) return []
    const { entities: all } = question.change
    const entities = matchedEntities(rule.match, { rule, entities: all })
    if (entities.length === 0 || isExcepted(rule, entities, question.caller?.standing)) return []
    return [{ rule, entities, until, mayName }]
  })
}

/** The caller, and of a proposal all who wrote it: whoever merges it makes it nobody else's. */
function callersOf({
  caller,
  proposal,
  people,
}: Pick<Question, 'caller' | 'proposal' | 'people'>): readonly ChangeAuthor[] {
  const writers = (proposal?.writers ?? []).map(({ username, external, credential }) => ({
    standing: people.find(username, external) ?? { username, roles: [] },
    credential,
  }))
  return [...(caller === null ? [] : [caller]), ...writers]
}

function isExcepted(
  { except }: GateRule,
  entities: readonly TouchedEntity[],
  standing: Standing | undefined,
): boolean {
  if (standing === undefined) return false
  return except.some((selector) => isOneOfEach(selector, standing, entities))
}

/** Of several groups, all of them have to be administered. */
function isOneOfEach(
  selector: PersonSelector,
  standing: Standing,
  entities: readonly TouchedEntity[],
): boolean {
  return scopesOf(selector, entities).every((within) => isOneOf(selector, standing, within))
}

/** Whether the caller passes all rules. */
function mayRecover({ isRecovery, caller, door }: Question): boolean {
  return isRecovery && caller !== null && isNamed(caller, door) && caller.standing.administersServer
}

/** Whether who passes a rule is a person, and the commit can tell: pushed ones are there already. */
function isNamed({ credential }: GateCaller, door: Door): boolean {
  return credential !== 'token' && door !== 'push'
}

/** Whether the caller passes a rule by an override. */
function mayPass({ rule, entities }: MetRule, question: Question): boolean {
  const { caller, reason, door } = question
  if (caller === null || rule.effect === 'warn') return false
  const { standing, overrides } = caller
  const { override } = rule
  if (override === null || !isNamed(caller, door)) return false
  if (!overrides.some((name) => nameKey(name) === nameKey(rule.name))) return false
  if (override.isReasonNeeded && reason === '') return false
  return override.by.some((selector) => isOneOfEach(selector, standing, entities))
}

function objectionsOf(met: MetRule, question: Question): readonly Objection[] {
  const { effect, needs } = met.rule
  if (effect === 'warn') return []
  if (effect === 'deny')
    return [{ kind: 'denied', of: passersOf(met.rule), ...reasonedBy(met, deniedSentence(met)) }]
  return needs.flatMap((need) =>
    need.kind === 'reason'
      ? objectionOfReason(met, question)
      : objectionsOfApprovals(met, need, question),
  )
}

function objectionOfReason(met: MetRule, { reason, door }: Question): readonly Objection[] {
  if (reason !== '') return []
  const isByGit = door === 'push' || door === 'native-commit'
  const place = isByGit ? ', as text below the subject of the commit' : ''
  const sentence = `The rule ${met.rule.name} needs a reason${place}`
  return [{ kind: 'needs', of: [A_REASON], ...reasonedBy(met, sentence) }]
}

function objectionsOfApprovals(
  met: MetRule,
  need: ApprovalsNeed,
  question: Question,
): readonly Objection[] {
  const entities = need.when === null ? met.entities : matchedEntities(need.when, met)
  return scopesOf(need.of, entities).flatMap((within): readonly Objection[] => {
    if (entities.length === 0) return []
    const approvals = approvalsOf(met.rule, { need, within }, question)
    const { given, rejectedBy } = approvals
    if (given.length >= need.count && rejectedBy.length === 0) return []
    const whose = phraseOf(need.of, within, met.mayName)
    const about = { ...met, entities }
    const sentence = missingSentence(about, approvals, whose)
    return [{ kind: 'needs', of: [whose], approvals, ...reasonedBy(about, sentence) }]
  })
}

/**
 * The groups and templates whose administrators are asked, each on its own: the administrator of one of
 * two groups does not decide for the other.
 */
function scopesOf(
  selector: PersonSelector,
  entities: readonly TouchedEntity[],
): readonly (readonly string[])[] {
  if (selector.kind !== 'group-admins') return [[]]
  const parts = entities.map(delegatedPartsOf)
  const isElsewhere = parts.some((own) => own.length === 0)
  return [...[...new Set(parts.flat())].map((part) => [part]), ...(isElsewhere ? [[]] : [])]
}

/** The groups or the template that an entity is in, as administrators are appointed for them. */
function delegatedPartsOf({ names, groups }: TouchedEntity): readonly string[] {
  if (groups.length > 0) return groups.map((group) => `group/${group}`)
  return names.filter((name) => name.startsWith('template/'))
}

/** A change that comes at once is approved by its author alone, if at all; one of a proposal by reviews. */
function approvalsOf(
  rule: GateRule,
  { need, within }: { readonly need: ApprovalsNeed; readonly within: readonly string[] },
  question: Question,
): NeededApprovals {
  const { proposal, caller, people, change, rules } = question
  const asked = { count: need.count, of: need.of, within, excluded: excludedBy(rule, question) }
  if (proposal === null) {
    const isOwn =
      caller !== null && caller.credential !== 'token' && mayApprove(asked, caller.standing)
    return { ...asked, given: isOwn ? [caller.standing.username] : [], rejectedBy: [] }
  }
  const digest = digestOfChange(change)
  const writers = excludedWriters(rule, proposal)
  const counting = proposal.reviews.filter((review) => {
    const reviewer = { ...review, username: review.by }
    if (writers.some((writer) => isSamePerson(writer, reviewer))) return false
    const standing = people.find(review.by, review.external)
    return standing !== null && isSameUser(review, standing) && mayApprove(asked, standing)
  })
  const given = counting.filter(
    (review) =>
      review.decision === 'approve' && review.digest === digest && review.rules === rules.version,
  )
  const rejecting = counting.filter(({ decision }) => decision === 'reject')
  return { ...asked, given: namesOf(given), rejectedBy: namesOf(rejecting) }
}

/** The people of a change whose approval of it a rule does not count, in folded spelling. */
function excludedBy({ not }: GateRule, { proposal, caller }: Question): readonly string[] {
  const author = proposal?.author ?? caller?.standing.username
  const authors = author === undefined ? [] : [author]
  const contributors = proposal?.contributors ?? authors
  return [
    ...(not.includes('author') ? authors : []),
    ...(not.includes('contributor') ? contributors : []),
  ].map(nameKey)
}

/** The writers of a proposal whom a rule excludes; they may have another name by now. */
function excludedWriters(
  { not }: GateRule,
  { writers }: ReviewedProposal,
): readonly ProposalWriter[] {
  if (not.includes('contributor')) return writers
  return not.includes('author') ? writers.slice(0, 1) : []
}

/** A user may have got the name of another one. */
function isSameUser({ userId }: Review, standing: Standing): boolean {
  return userId === undefined || standing.userId === undefined || userId === standing.userId
}

/** The reviewers, each once whatever the spelling. */
function namesOf(reviews: readonly Review[]): readonly string[] {
  return [...new Map(reviews.map(({ by }) => [nameKey(by), by])).values()]
}

function objectionsOfDelegation({ delegation, mayName }: Question): readonly Objection[] {
  if (delegation.kind === 'allowed') return []
  const place = mayName?.(delegation.place) === false ? DOCUMENT : delegation.place
  return [{ of: [], ...delegation, place }]
}

/** A change that is denied is not helped by what other rules need. */
function kindOf(objections: readonly Objection[]): Verdict['kind'] {
  if (objections.length === 0) return 'allowed'
  return objections.some(({ kind }) => kind === 'denied') ? 'denied' : 'needs'
}

function warningOf(met: MetRule): Objection {
  const sentence = `The rule ${met.rule.name} warns of this change of ${placeInWords(met)}`
  return { kind: 'needs', of: [], ...reasonedBy(met, sentence) }
}

function reasonedBy(met: MetRule, sentence: string) {
  const { rule, until } = met
  const { message, override } = rule
  return {
    rule: rule.name,
    place: namedIn(met) ?? DOCUMENT,
    sentence: message === null ? sentence : `${sentence}: ${message}`,
    ...(message === null ? {} : { reason: message }),
    ...(until === null ? {} : { until }),
    ...(override === null ? {} : { overridableBy: override.by }),
  }
}

/** The same in a sentence, which says at least the kind of what may not be named. */
function placeInWords(met: MetRule): string {
  const [first] = met.entities
  return namedIn(met) ?? (first === undefined ? DOCUMENT : unnamed(first.entity))
}

/** The first entity that may be named. */
function namedIn({ entities, mayName }: MetRule): string | undefined {
  return entities.find(({ entity }) => mayName(entity))?.entity
}

/** The people that a rule lets pass, in words. */
function passersOf({ except, override }: GateRule): readonly string[] {
  return [...except, ...(override?.by ?? [])].map((selector) => phraseOf(selector, []))
}

function deniedSentence(met: MetRule): string {
  const until = met.until === null ? '' : ` until ${new Date(met.until).toISOString()}`
  return `The rule ${met.rule.name} allows no change of ${placeInWords(met)}${until}`
}

function missingSentence(
  met: MetRule,
  { count, given, rejectedBy }: NeededApprovals,
  whose: string,
): string {
  const [rejecting] = rejectedBy
  if (rejecting !== undefined) return `The rule ${met.rule.name} stops what ${rejecting} rejects`
  const missing = count - given.length
  const approvals = missing === 1 ? 'an approval' : `${missing} approvals`
  return `The rule ${met.rule.name} needs ${approvals} by ${whose} for ${placeInWords(met)}`
}
