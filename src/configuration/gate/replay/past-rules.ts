import { ServiceError } from '../../../core/errors.ts'
import type { CommitSha, Revision } from '../../../core/revision.ts'
import type { ChangeSummary } from '../../../document/changes/change-summary.ts'
import type { ConfigDocument } from '../../../document/document.ts'
import type { DocumentChange } from '../../../document/entities/change.ts'
import type { History } from '../../../history/history.ts'
import type { Trailer } from '../../../history/revision/message.ts'
import { parseChanges } from '../../../index/tables/revision-changes.ts'
import type { EntityIndex } from '../../../index/entity-index.ts'
import type { DocumentCache } from '../../current/document-cache.ts'
import { describeChange, namedInDocument } from '../describe-change.ts'
import type { Gate } from '../gate.ts'
import { RULES_FILE } from '../rules-source.ts'
import { RULES_ENTITY } from '../rules/match.ts'
import type { RuleSet } from '../rules/rule.ts'
import { type Objection, type Verdict, ALLOWED } from '../rules/verdict.ts'
import { changeOfRules } from '../sound-rules.ts'
import { type PastOrigin, pastOriginOf, rulesAbout } from './past-origin.ts'
import {
  type IndexedChange,
  indexedChange,
  mayObject,
  objectsForSure,
  type SiftedRule,
  siftedRule,
} from './sift-rules.ts'
import type { ReviewedProposal } from '../../../core/change-origin.ts'
import { callerIn, pastPeopleIn } from '../people-of.ts'
import { asksForPlan, judgeChange } from '../rules/judge-change.ts'
import type { GateChange, PlanFacts, Question } from '../rules/question.ts'

export interface PastRulesDeps {
  readonly history: History
  readonly cache: DocumentCache
  readonly gate: Gate
  readonly summary: ChangeSummary
  readonly entities: EntityIndex
}

interface PastRulesParts extends PastRulesDeps {
  /** The trailers of the revisions that have any. */
  readonly trailers: ReadonlyMap<CommitSha, readonly Trailer[]>
}

/** The answer of rules to a change of the past. */
export interface PastVerdict {
  /** The names of the rules that would have held it up. */
  readonly heldUpBy: readonly string[]
  readonly warnedBy: readonly string[]
  /** Their sentences; empty where the index alone was asked. */
  readonly objections: readonly Objection[]
  /** Whether the index was sure of the rules, so that nothing else was asked. */
  readonly isCertain: boolean
  /** Whether its documents cannot be read, or are not valid today. */
  readonly isSkipped: boolean
}

const FREE: PastVerdict = {
  heldUpBy: [],
  warnedBy: [],
  objections: [],
  isCertain: false,
  isSkipped: false,
}
const UNREADABLE: readonly ServiceError['code'][] = ['config-invalid', 'unavailable']
/** Revisions whose changes are read at once. */
const PAGE = 500
const SKIPPED: PastVerdict = { ...FREE, isSkipped: true }

/**
 * Judges changes of the past by some rules, from the newest to the oldest. The index tells which rules a change
 * may meet; documents are read for those that it cannot decide.
 */
export class PastRules {
  readonly #deps: PastRulesParts
  readonly #rules: RuleSet
  readonly #sifted = new Map<string, readonly SiftedRule[]>()
  readonly #isAboutRules: boolean
  /** The newest document with the groups, environments and rights of the revision that is judged. */
  #order: ConfigDocument | null = null
  /** The revision that was judged before. */
  #newer: Revision | null = null
  #documentsRead = 0
  /** The changes of the revisions with numbers between two others. */
  #stored: ReadonlyMap<string, string> = new Map()
  #above = 0
  #below = 0

  constructor(deps: PastRulesParts, rules: RuleSet) {
    this.#deps = deps
    this.#rules = rules
    this.#isAboutRules = rules.rules.some(({ match: { entities } }) =>
      (entities ?? []).some(
        (selector) => selector.kind === 'named' && selector.pattern === RULES_ENTITY,
      ),
    )
  }

  /** How many changes were judged by their documents. */
  get read(): number {
    return this.#documentsRead
  }

  /**
   * The verdict on a revision; null for one that changed nothing. `isExact` reads its documents, whatever the
   * index can tell.
   */
  async judge(revision: Revision, isExact = false): Promise<PastVerdict | null> {
    const { history } = this.#deps
    const bases = history.basesOf(revision)
    if (bases.length === 0) return null
    this.#follow(revision)
    const changes = bases.length > 1 ? null : this.#changesOf(revision)
    const indexed = changes && indexedChange(changes)
    try {
      if (changes?.length === 0) return await this.#judgeOther(revision)
      return await this.#judgeChange(revision, { changes, indexed, isExact })
    } catch (error) {
      if (!(error instanceof ServiceError) || !UNREADABLE.includes(error.code)) throw error
      return SKIPPED
    } finally {
      if (indexed?.keepsOrder !== true) this.#order = null
    }
  }

  /** The order of the revision after this one is its own only where that came upon it. */
  #follow(revision: Revision): void {
    const { history } = this.#deps
    const newer = this.#newer
    this.#newer = revision
    if (newer === null || newer.commit === revision.commit) return
    const [base, ...others] = history.basesOf(newer)
    if (base !== revision.commit || others.length > 0) this.#order = null
  }

  async #judgeChange(
    revision: Revision,
    { changes, indexed, isExact }: KnownChange,
  ): Promise<PastVerdict> {
    const origin = this.#originOf(revision)
    if (origin === null) return FREE
    const suspects = this.#suspects(origin, indexed)
    if (suspects.length === 0) return FREE
    const rules = { ...this.#rules, rules: suspects.map(({ rule }) => rule) }
    const asked = { origin, rules }
    if (isExact || changes === null || indexed === null) return this.#read(revision, asked)
    if (suspects.every((rule) => objectsForSure(rule, indexed, origin))) return certainly(rules)
    const isPlanned = suspects.some(({ rule }) => rule.match.plan !== null)
    const isInside = indexed.isInside && !isPlanned && origin.proposal === null
    if (!isInside) return this.#read(revision, asked)
    const document = (this.#order ??= await this.#documentOf(revision))
    const change = namedInDocument(changes, document)
    return told([
      await judgePast(this.#deps.gate, { ...asked, change, document, readPlan: unplanned }),
    ])
  }

  /** Rows of the index are read many at once: one by one, they would be most of the work. */
  #changesOf(revision: Revision): readonly DocumentChange[] | null {
    const { history, entities } = this.#deps
    const number = history.numberOf(revision)
    if (number === null) return null
    if (number <= this.#above || number >= this.#below) {
      this.#below = number + 1
      this.#above = Math.max(0, number - PAGE)
      this.#stored = entities.findStoredBetween({ above: this.#above, below: this.#below })
    }
    const stored = this.#stored.get(revision.commit)
    return stored === undefined ? null : parseChanges(stored)
  }

  #originOf(revision: Revision): PastOrigin | null {
    return pastOriginOf(revision, this.#deps.trailers.get(revision.commit) ?? [])
  }

  /** The rules that a change may meet, by what the index knows of it; all of them where that is nothing. */
  #suspects(origin: PastOrigin, indexed: IndexedChange | null): readonly SiftedRule[] {
    const rules = this.#siftedFor(origin)
    return indexed === null ? rules : rules.filter((rule) => mayObject(rule, indexed, origin))
  }

  #siftedFor(origin: PastOrigin): readonly SiftedRule[] {
    const { doors, principal } = origin
    const key = [...doors, principal === null].join()
    const known = this.#sifted.get(key)
    if (known) return known
    const sifted = rulesAbout(this.#rules.rules, origin).map(siftedRule)
    this.#sifted.set(key, sifted)
    return sifted
  }

  /** A merge passes where it does as a change of one of the commits that it joins, as it does at the gate. */
  async #read(
    revision: Revision,
    asked: { readonly origin: PastOrigin; readonly rules: RuleSet },
  ): Promise<PastVerdict> {
    const { history, cache, summary, gate } = this.#deps
    this.#documentsRead += 1
    const after = await history.readDocument(revision)
    const verdicts: Verdict[] = []
    for (const base of history.basesOf(revision)) {
      const older = await history.findCommitEver(base)
      if (older === null) return SKIPPED
      const before = await history.readDocument(older)
      if (Buffer.compare(before, after) === 0) return FREE
      const document = await cache.read(before)
      const changes = await summary.changes(before, after)
      const change = describeChange({ before: document, after: await cache.read(after), changes })
      const readPlan = () => gate.planOf({ before, after })
      verdicts.push(await judgePast(gate, { ...asked, change, document, readPlan }))
    }
    return told(verdicts)
  }

  /** A revision with the document of its base may bring other rules. */
  async #judgeOther(revision: Revision): Promise<PastVerdict | null> {
    const { history, gate } = this.#deps
    const [base] = history.basesOf(revision)
    if (!this.#isAboutRules || base === undefined) return null
    const older = await history.findBeside(base, RULES_FILE)
    const newer = await history.findBeside(revision.commit, RULES_FILE)
    if (older?.oid === newer?.oid) return null
    const change = changeOfRules((await older?.read()) ?? null, (await newer?.read()) ?? null)
    const origin = this.#originOf(revision)
    if (origin === null) return FREE
    const rules = { ...this.#rules, rules: rulesAbout(this.#rules.rules, origin) }
    const document = await this.#documentOf(revision)
    return told([await judgePast(gate, { change, document, origin, rules, readPlan: unplanned })])
  }

  async #documentOf(revision: Revision): Promise<ConfigDocument> {
    const { history, cache } = this.#deps
    return cache.read(await history.readDocument(revision))
  }
}

interface KnownChange {
  /** Null where the index does not tell. */
  readonly changes: readonly DocumentChange[] | null
  readonly indexed: IndexedChange | null
  readonly isExact: boolean
}

/** The numbers of a plan of rules, or of a change whose rules do not ask for one. */
const unplanned = () => Promise.resolve(null)

function certainly({ rules }: RuleSet): PastVerdict {
  const namesOf = (isWarning: boolean) =>
    rules.filter(({ effect }) => (effect === 'warn') === isWarning).map(({ name }) => name)
  return { ...FREE, heldUpBy: namesOf(false), warnedBy: namesOf(true), isCertain: true }
}

function told(verdicts: readonly Verdict[]): PastVerdict {
  const verdict = verdicts.find(({ kind }) => kind === 'allowed') ?? verdicts[0]
  if (verdict === undefined) return FREE
  const { objections, warnings } = verdict
  return { ...FREE, heldUpBy: rulesOf(objections), warnedBy: rulesOf(warnings), objections }
}

function rulesOf(objections: readonly Objection[]): readonly string[] {
  return [...new Set(objections.map(({ rule }) => rule))]
}

/** A change of the past, with the document whose rights and people count. */
interface PastChange {
  readonly change: GateChange
  readonly document: ConfigDocument
  readonly origin: PastOrigin
  readonly rules: RuleSet
  readonly readPlan: () => Promise<PlanFacts | null>
}

/**
 * The verdict of some rules on a change of the past. Whether its author might make it at all was asked
 * then, and approvals of then count for these rules.
 */
async function judgePast(
  gate: Pick<Gate, 'knownRights'>,
  { change, document, origin, rules, readPlan }: PastChange,
): Promise<Verdict> {
  const { doors, principal, reason, time } = origin
  const { configuration } = document
  const { knownRights } = gate
  const question: Question = {
    change,
    door: doors[0],
    caller: principal === null ? null : callerIn(configuration, knownRights, principal),
    reason,
    proposal: proposalOf(origin, rules),
    rules,
    people: pastPeopleIn(configuration, knownRights),
    plan: null,
    now: time,
    isRecovery: false,
    delegation: ALLOWED,
  }
  return judgeChange({ ...question, plan: asksForPlan(question) ? await readPlan() : null })
}

function proposalOf({ proposal, principal }: PastOrigin, rules: RuleSet): ReviewedProposal | null {
  if (proposal === null || principal === null) return null
  const { number, author, approvals } = proposal
  return {
    number,
    author,
    contributors: [author],
    writers: [{ username: author, credential: 'session' }],
    reviews: approvals.map(({ by, digest }) => {
      return { by, digest, decision: 'approve', rules: rules.version } as const
    }),
  }
}
