import { ServiceError } from '../../../core/errors.ts'
import type { Principal } from '../../../core/principal.ts'
import type { CommitSha, Revision } from '../../../core/revision.ts'
import type { EntityIndex } from '../../../index/entity-index.ts'
import { Turns } from '../../../lib/cooperative.ts'
import { assertMay } from '../../access/permission.ts'
import { readRules } from '../rules/read-rules.ts'
import type { GateRule } from '../rules/rule.ts'
import type { RulesDeps } from '../save-rules.ts'
import { assertSound, knownNamesIn } from '../sound-rules.ts'
import { PastRules, type PastRulesDeps, type PastVerdict } from './past-rules.ts'
import { assumedBy } from './past-origin.ts'

export interface ReplayDeps extends RulesDeps, PastRulesDeps {
  readonly entities: EntityIndex
}

export interface ReplayRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Only changes after this commit; null for all. */
  readonly since: CommitSha | null
  /** How many of the changes that would have been held up are told one by one, the newest first. */
  readonly limit: number
}

/** A past change that rules would have held up. */
export interface HeldUpChange {
  readonly revision: Revision
  readonly number: number
  readonly objections: PastVerdict['objections']
}

/** A rule with the number of past changes that it would have stopped or warned of. */
export interface ReplayedRule {
  readonly name: string
  readonly heldUp: number
  readonly warned: number
  /** The facts that it asks for, and that history does not tell: they are taken to fit. */
  readonly assumed: ReturnType<typeof assumedBy>
}

export interface Replay {
  /** The numbers of the revisions that were looked at. */
  readonly from: number
  readonly to: number
  /** False where older ones were left out, because it took too long. */
  readonly isWhole: boolean
  readonly changes: number
  readonly heldUp: number
  /** How many changes were judged by their documents, and not by the index alone. */
  readonly read: number
  /** How many could not be judged: their documents cannot be read, or are not valid today. */
  readonly skipped: number
  readonly rules: readonly ReplayedRule[]
  /** Authors by the number of their changes that would have been held up, most first. */
  readonly authors: readonly { readonly username: string; readonly heldUp: number }[]
  readonly revisions: readonly HeldUpChange[]
}

/** A replay ends after so long, with what it has by then. */
const MAX_REPLAY_MS = 60_000

/**
 * Tells which past changes some rules would have held up, each with the people, groups and time of then.
 *
 * @throws {ServiceError} `not-permitted`; `config-invalid` for rules that could not be saved.
 */
export async function replayRules(
  deps: ReplayDeps,
  principal: Principal,
  { bytes, since, limit }: ReplayRequest,
): Promise<Replay> {
  const { access, history, cache, gate, entities } = deps
  assertMay(access, principal, { action: 'administer' })
  const to = history.size()
  const first = since === null ? 1 : numberAfter(deps, since)
  const { configuration } = await cache.read(await history.readDocument(history.current()))
  assertSound(bytes, knownNamesIn(configuration, gate.peopleIn({ configuration })))
  const reading = readRules(bytes)
  const rules = reading.ok ? reading.rules : { version: '', rules: [] }
  await entities.settle()
  const past = new PastRules({ ...deps, trailers: await history.listTrailers(since) }, rules)
  const count = new ReplayCount(rules.rules)
  const turns = new Turns()
  const end = performance.now() + MAX_REPLAY_MS
  const heldUp: HeldUpChange[] = []
  let number = to
  for (; number >= first && performance.now() < end; number -= 1) {
    if (turns.isOver) await turns.next()
    const revision = history.at(number)
    const verdict = revision && (await past.judge(revision))
    if (revision === null || verdict === null) continue
    count.add(revision, verdict)
    if (verdict.heldUpBy.length === 0 || heldUp.length >= limit) continue
    const { objections } = verdict.isCertain
      ? ((await past.judge(revision, true)) ?? verdict)
      : verdict
    heldUp.push({ revision, number, objections })
  }
  return {
    from: number + 1,
    to,
    isWhole: number < first,
    ...count.result(),
    read: past.read,
    revisions: heldUp,
  }
}

/** @throws {ServiceError} `revision-not-found` where the history has no number for it. */
function numberAfter({ history }: Pick<ReplayDeps, 'history'>, commit: CommitSha): number {
  const number = history.numberOf({ commit })
  if (number !== null) return number + 1
  const message = `The branch has no revision ${commit}`
  throw new ServiceError('revision-not-found', message, { commit })
}

/** Counts verdicts by rules and authors. */
class ReplayCount {
  readonly #rules: ReadonlyMap<string, { readonly rule: GateRule; heldUp: number; warned: number }>
  readonly #authors = new Map<string, number>()
  #changes = 0
  #heldUp = 0
  #skipped = 0

  constructor(rules: readonly GateRule[]) {
    this.#rules = new Map(rules.map((rule) => [rule.name, { rule, heldUp: 0, warned: 0 }]))
  }

  add({ username }: Revision, { heldUpBy, warnedBy, isSkipped }: PastVerdict): void {
    if (isSkipped) this.#skipped += 1
    this.#changes += 1
    for (const name of heldUpBy) {
      const rule = this.#rules.get(name)
      if (rule) rule.heldUp += 1
    }
    for (const name of warnedBy) {
      const rule = this.#rules.get(name)
      if (rule) rule.warned += 1
    }
    if (heldUpBy.length === 0) return
    this.#heldUp += 1
    this.#authors.set(username, (this.#authors.get(username) ?? 0) + 1)
  }

  result(): Pick<Replay, 'changes' | 'heldUp' | 'skipped' | 'rules' | 'authors'> {
    return {
      changes: this.#changes,
      heldUp: this.#heldUp,
      skipped: this.#skipped,
      rules: [...this.#rules.values()].map(({ rule, heldUp, warned }) => {
        return { name: rule.name, heldUp, warned, assumed: assumedBy(rule) }
      }),
      authors: [...this.#authors]
        .map(([username, heldUp]) => ({ username, heldUp }))
        .toSorted((one, other) => other.heldUp - one.heldUp),
    }
  }
}
