import type {
  ChangeOrigin,
  Door,
  DoorWithoutCaller,
  ReviewedProposal,
} from '../../core/change-origin.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import type { ConfigDocument } from '../../document/document.ts'
import { DOCUMENT } from '../../document/entities/entities.ts'
import { reasonIn } from '../../history/revision/message.ts'
import type {
  ChangeGround,
  NativeCommitsToJudge,
  PushedCommit,
  PushToJudge,
} from '../../history/revision/prepared-change.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DocumentCache } from '../current/document-cache.ts'
import { judgeDelegated } from './delegated-change.ts'
import { describeChange } from './describe-change.ts'
import { divide, isSameAround, ownPartsOf, withoutOthers } from './own-parts.ts'
import { callerIn, peopleIn, type Rights } from './people-of.ts'
import type { Recovery } from './recovery.ts'
import { asksForPlan, digestOfChange, judgeChange } from './rules/judge-change.ts'
import type { GateChange, People, PlanFacts, Question } from './rules/question.ts'
import { NO_RULES, type RuleSet } from './rules/rule.ts'
import { ALLOWED, type Ruling, type Verdict } from './rules/verdict.ts'
import { needsAdministrator } from './delegation.ts'
import { gateRefusal } from './refusal.ts'
import { assertSound, changeOfRules, knownNamesIn } from './sound-rules.ts'
import { RULES_FILE, RulesSource } from './rules-source.ts'
import { namesForCaller, namesInProposal, shownProblems } from './told-to-callers.ts'

export interface GateDeps {
  readonly cache: DocumentCache
  readonly summary: ChangeSummary
  readonly clock: Clock
  /** Fails while changes are refused for maintenance; absent where nobody refuses them. */
  readonly assertSavesAllowed?: (() => Promise<void>) | undefined
  /** Absent where administrators are held by rules as everybody is. */
  readonly recovery?: Recovery | null
}

/** The document before a change, and the one that it makes, with its secrets sealed. */
export interface GatedDocuments {
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
}

/** A change at the gate: by whom, by which door, and why. */
export interface AskedChange {
  readonly origin: ChangeOrigin
  /** The reason in the words of the author; may be empty. */
  readonly message: string
  /** Finds the rules that hold; those of the current revision when absent. */
  readonly findBeside?: ChangeGround['findBeside']
  /** The numbers of the plan where they are known; computed when a rule asks for them otherwise. */
  readonly plan?: PlanFacts
}

/** The answer of the gate, with what it depends on. */
export interface Assessment {
  readonly verdict: Verdict
  readonly change: GateChange
  /** The digest that an approval of this change names. */
  readonly digest: string
  /** The version of the rules. */
  readonly rules: string
}

/** The numbers of the plan of a change. */
export type ReadPlanFacts = (documents: GatedDocuments) => Promise<PlanFacts>

/** The doors of the service itself, which rules do not hold up. */
const OWN_DOORS: readonly DoorWithoutCaller[] = ['sealing', 'adoption']
const isOwnDoor = (door: Door) => OWN_DOORS.some((own) => own === door)
const PASSED: Verdict = {
  kind: 'allowed',
  objections: [],
  warnings: [],
  overridden: [],
  recovered: [],
}
const NOTHING: GateChange = { entities: [] }

/**
 * The gate that every change passes before it is committed, whatever its door. Callers are judged by the
 * rights that the document before gives them, and all changes by the rules of the commit that they come
 * upon.
 */
export class Gate {
  readonly #deps: GateDeps
  readonly #source = new RulesSource()
  #rights: Rights | null = null
  #readPlan: ReadPlanFacts | null = null
  #findCurrent: ChangeGround['findBeside'] = async () => null

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  /** Judges callers by these rights from now on; before, nobody can call. */
  decideBy(rights: Rights): void {
    this.#rights = rights
  }

  /** Plans changes by this from now on. */
  planBy(read: ReadPlanFacts): void {
    this.#readPlan = read
  }

  /** The numbers of the plan of a change, if it were made now; null where nobody plans. */
  async planOf(documents: GatedDocuments): Promise<PlanFacts | null> {
    return (await this.#readPlan?.(documents)) ?? null
  }

  /** Finds the rules of the current revision by this from now on. */
  readBy(find: ChangeGround['findBeside']): void {
    this.#findCurrent = find
  }

  /**
   * Asserts that a change by this door may be made at all now: its caller may have been shut out while it
   * waited for others. Commits of git are there already.
   *
   * @throws {ServiceError} `maintenance`, `not-authorized`.
   */
  async assertOpen(origin: ChangeOrigin): Promise<void> {
    const { door } = origin
    if (!isOwnDoor(door) && door !== 'native-commit') await this.#deps.assertSavesAllowed?.()
    if ('principal' in origin) await origin.principal.assertStillGood?.()
  }

  /** The rules of a commit, by its files; those of the current revision when they are not given. */
  rulesOf({
    findBeside = this.#findCurrent,
  }: Pick<AskedChange, 'findBeside'> = {}): Promise<RuleSet> {
    return this.#source.find(findBeside)
  }

  /** The people who can log in, with their rights by a configuration. */
  peopleIn({ configuration }: Pick<ConfigDocument, 'configuration'>): People {
    const rights = this.#rights
    if (rights === null) return { find: () => null, list: () => [], isComplete: false }
    return peopleIn(configuration, rights, { isComplete: rights.knowsEveryone() })
  }

  /**
   * Returns the verdict on a change that passes.
   *
   * @throws {ServiceError} `not-permitted`, with what the change needs.
   */
  async assertPasses(documents: GatedDocuments, asked: AskedChange): Promise<Verdict> {
    const { verdict } = await this.assess(documents, asked)
    assertAllowed(verdict)
    return verdict
  }

  /**
   * The same for a push, each commit by itself. Without rules, those of administrators of the server are
   * not even read.
   *
   * @throws {ServiceError} `not-permitted`, with what the commit needs.
   */
  async assertPushPasses(push: PushToJudge, origin: ChangeOrigin): Promise<void> {
    await this.assertOpen(origin)
    if (!('principal' in origin)) return
    const { before, findBeside, listChanges, listCommits } = push
    const document = await this.#deps.cache.read(before)
    if (!this.#isAdministrator(document, origin.principal)) {
      for await (const { message, ...change } of listChanges())
        await this.assertPasses(change, { origin, message, findBeside })
      return
    }
    await this.#assertPushedRulesPass(push, document, origin)
    const rules = await this.rulesOf(push)
    if (rules === NO_RULES) return
    for await (const commit of listCommits())
      await this.#assertCommitPasses(commit, { origin, message: commit.message, findBeside })
  }

  /**
   * The same for commits that git has made in the repository. Without rules nothing is read; what is not
   * valid is not judged, as it never becomes current.
   */
  async assertNativePasses(commits: NativeCommitsToJudge, origin: ChangeOrigin): Promise<void> {
    const { before, after, message, findBeside, listCommits } = commits
    if ((await this.rulesOf(commits)) === NO_RULES) return
    await this.#assertChangeOfRulesPasses(commits, origin)
    const asked = { origin, message, findBeside }
    if (after !== null && Buffer.compare(before, after) !== 0 && (await this.#isValid(after)))
      await this.assertPasses({ before, after }, asked)
    for await (const commit of listCommits()) {
      if (commit.parents.some((each) => Buffer.compare(each, commit.after) === 0)) continue
      if (!(await this.#isValid(commit.after))) continue
      const parents: Uint8Array<ArrayBuffer>[] = []
      for (const each of commit.parents) if (await this.#isValid(each)) parents.push(each)
      await this.#assertCommitPasses({ ...commit, parents }, { ...asked, message: commit.message })
    }
  }

  /**
   * The current document and another one as somebody may see them: lines that others administer are
   * blank. Nothing is blank for administrators of the server.
   */
  async viewFor(
    principal: Principal,
    { before, after }: GatedDocuments,
  ): Promise<readonly [before: Uint8Array<ArrayBuffer>, after: Uint8Array<ArrayBuffer>]> {
    const { cache, summary } = this.#deps
    const rights = this.knownRights.rightsIn((await cache.read(before)).configuration, principal)
    if (rights.isAdministrator) return [before, after]
    const parts = ownPartsOf(rights, rights)
    const viewOf = async (document: Uint8Array<ArrayBuffer>) => {
      const reading = await summary.read(document)
      const text = 'problems' in reading ? '' : withoutOthers(reading, parts)
      return new Uint8Array(Buffer.from(text))
    }
    return [await viewOf(before), await viewOf(after)]
  }

  /**
   * Asserts that two readable documents differ in nothing but what somebody administers in the current
   * one: their differences may be shown.
   *
   * @throws {ServiceError} `not-permitted`.
   */
  async assertOwn(
    principal: Principal,
    { current, before, after }: GatedDocuments & { readonly current: Uint8Array<ArrayBuffer> },
  ): Promise<void> {
    const { cache, summary } = this.#deps
    const rights = this.knownRights.rightsIn((await cache.read(current)).configuration, principal)
    if (rights.isAdministrator) return
    const sides = [await summary.read(before), await summary.read(after)]
    const parts = ownPartsOf(rights, rights)
    const [older, newer] = sides.map((side) => ('problems' in side ? null : divide(side, parts)))
    if (older != null && newer != null && isSameAround(older, newer)) return
    const message = `The change reaches beyond what ${principal.username} administers`
    throw gateRefusal({ objections: [needsAdministrator(DOCUMENT, message)] })
  }

  /**
   * The problems of a document that is not valid, without what is hidden from the caller who made it. Null
   * stands for no caller.
   */
  async problemsFor(
    problems: readonly Problem[],
    { before, after }: GatedDocuments,
    principal: Principal | null,
  ): Promise<readonly Problem[]> {
    if (principal === null) return problems
    const { cache, summary } = this.#deps
    const { configuration } = await cache.read(before)
    const rights = this.knownRights.rightsIn(configuration, principal)
    const document = rights.isAdministrator ? null : await summary.read(after)
    if (document === null || 'problems' in document) return problems
    return shownProblems(problems, { document, configuration, rights })
  }

  async assess({ before, after }: GatedDocuments, asked: AskedChange): Promise<Assessment> {
    const { cache, summary } = this.#deps
    const { origin } = asked
    const rules = await this.rulesOf(asked)
    const isOwn = isOwnDoor(origin.door)
    const principal = 'principal' in origin ? origin.principal : null
    const proposal = proposalOf(origin)
    if (isOwn || (principal === null && rules === NO_RULES)) return passed(rules)
    const older = await cache.read(before)
    if (rules === NO_RULES && proposal === null && this.#isAdministrator(older, principal)) {
      return passed(rules)
    }
    const newer = await cache.read(after)
    const changes = await summary.changes(before, after)
    const documents = { before: older, after: newer, changes }
    const delegation =
      principal === null
        ? ALLOWED
        : judgeDelegated({ rights: this.knownRights, people: this.peopleIn(older) }, documents, {
            principal,
            proposal,
            rules: rules.version,
          })
    const change = describeChange(documents)
    const judged = { ...asked, change, rules, document: older, delegation }
    return this.#answer(judged, () => this.planOf({ before, after }))
  }

  /**
   * Judges a change that is not one of the document, such as one of the rules themselves.
   *
   * @throws {ServiceError} `not-permitted`, with what it needs; `maintenance` while saves are refused.
   */
  async assertOtherPasses(
    change: GateChange,
    document: Uint8Array<ArrayBuffer>,
    asked: AskedChange,
  ): Promise<Verdict> {
    await this.assertOpen(asked.origin)
    const read = await this.#deps.cache.read(document)
    const judged = { ...asked, rules: await this.rulesOf(asked), delegation: ALLOWED }
    const { verdict } = await this.assessDescribed(change, read, judged)
    assertAllowed(verdict)
    return verdict
  }

  /** Assesses a change that is described already by these rules, with the answer of the built-in one; its plan is not known. */
  assessDescribed(
    change: GateChange,
    document: ConfigDocument,
    asked: AskedChange & { readonly rules: RuleSet; readonly delegation: Ruling },
  ): Promise<Assessment> {
    return this.#answer({ ...asked, change, document }, async () => null)
  }

  async #answer(
    { change, origin, message, rules, document, delegation, plan: known }: AskedQuestion,
    readPlan: () => Promise<PlanFacts | null>,
  ): Promise<Assessment> {
    const question: Question = {
      change,
      ...this.#namesIn(change, origin, document),
      door: origin.door,
      caller:
        'principal' in origin
          ? callerIn(document.configuration, this.knownRights, origin.principal)
          : null,
      reason: reasonIn(message),
      proposal: proposalOf(origin),
      rules,
      people: this.peopleIn(document),
      plan: null,
      now: this.#deps.clock(),
      isRecovery: this.#deps.recovery?.isActive ?? false,
      delegation,
    }
    const plan = known ?? (asksForPlan(question) ? await readPlan() : null)
    return {
      verdict: judgeChange({ ...question, plan }),
      change,
      digest: digestOfChange(change),
      rules: rules.version,
    }
  }

  /** Names that who hears the verdict may hear: that on a merge by itself is told to everybody who may view the proposal. */
  #namesIn(
    change: GateChange,
    origin: ChangeOrigin,
    { configuration }: ConfigDocument,
  ): Pick<Question, 'mayName'> {
    if (!('principal' in origin)) return {}
    const about = proposalOf(origin)?.entities
    if (about !== undefined) return { mayName: namesInProposal(change, about) }
    const rights = this.knownRights.rightsIn(configuration, origin.principal)
    return { mayName: namesForCaller(change, rights) }
  }

  /** Rules that a push brings have to be sound, as those that are put, and are judged by the rules before it. */
  async #assertPushedRulesPass(
    push: PushToJudge,
    { configuration }: ConfigDocument,
    origin: ChangeOrigin,
  ): Promise<void> {
    const [older, newer] = [await push.findBeside(RULES_FILE), await push.findPushed(RULES_FILE)]
    if (older?.oid === newer?.oid) return
    const bytes = (await newer?.read()) ?? null
    if (bytes !== null)
      assertSound(bytes, knownNamesIn(configuration, this.peopleIn({ configuration })))
    await this.#assertChangeOfRulesPasses(push, origin)
  }

  async #assertChangeOfRulesPasses(
    { before, findBeside, findPushed, message }: Omit<NativeCommitsToJudge, 'after'>,
    origin: ChangeOrigin,
  ): Promise<void> {
    const [older, newer] = [await findBeside(RULES_FILE), await findPushed(RULES_FILE)]
    if (older?.oid === newer?.oid) return
    const change = changeOfRules((await older?.read()) ?? null, (await newer?.read()) ?? null)
    await this.assertOtherPasses(change, before, { origin, message, findBeside })
  }

  async #isValid(document: Uint8Array<ArrayBuffer>): Promise<boolean> {
    return (await this.#deps.cache.inspect(document)).ok
  }

  /** A merge passes where it does as a change of one of the commits that it joins: those are judged too. */
  async #assertCommitPasses({ parents, after }: PushedCommit, asked: AskedChange): Promise<void> {
    const verdicts: Verdict[] = []
    for (const before of parents) {
      const { verdict } = await this.assess({ before, after }, asked)
      if (verdict.kind === 'allowed') return
      verdicts.push(verdict)
    }
    const [first] = verdicts
    if (first !== undefined) throw gateRefusal(first)
  }

  #isAdministrator({ configuration }: ConfigDocument, principal: Principal | null): boolean {
    if (principal === null) return false
    return this.knownRights.rightsIn(configuration, principal).isAdministrator
  }

  /**
   * The rights by which callers are judged.
   *
   * @throws {Error} before {@link decideBy}.
   */
  get knownRights(): Rights {
    if (this.#rights === null) throw new Error('The gate does not know the rights of callers yet')
    return this.#rights
  }
}

function proposalOf(origin: ChangeOrigin): ReviewedProposal | null {
  return 'principal' in origin ? (origin.proposal ?? null) : null
}

interface AskedQuestion extends AskedChange {
  readonly change: GateChange
  readonly rules: RuleSet
  /** The document whose rights and people count. */
  readonly document: ConfigDocument
  readonly delegation: Ruling
}

function passed({ version }: RuleSet): Assessment {
  return { verdict: PASSED, change: NOTHING, digest: digestOfChange(NOTHING), rules: version }
}

/** @throws {ServiceError} `not-permitted`, with what the change needs. */
function assertAllowed(verdict: Verdict): void {
  if (verdict.kind !== 'allowed') throw gateRefusal(verdict)
}
