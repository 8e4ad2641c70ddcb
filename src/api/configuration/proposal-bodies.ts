import type { Objection } from '../../configuration/gate/rules/verdict.ts'
import type { ConflictVersion, MergeConflict } from '../../document/merge/merge-conflict.ts'
import { maskSecrets } from '../../document/text/shown-text.ts'
import type { Proposal } from '../../proposals/proposal.ts'
import type { ProposalDetail } from '../../proposals/read-proposals.ts'
import type { ProposalBody, ProposalEntry, ProposalUpdateBody } from '../../wire/proposal-body.ts'
import { malformed } from '../../http/parameters.ts'
import type { ProposedContent } from '../../proposals/content.ts'

export function renderProposal(proposal: Proposal): ProposalEntry {
  const { number, title, message, author, contributors, state, newest, merged, closed } = proposal
  return {
    number,
    title,
    message,
    author: author.username,
    contributors,
    state,
    when: typeof proposal.when === 'number' ? new Date(proposal.when).toISOString() : proposal.when,
    opened: proposal.opened,
    changed: proposal.changed,
    version: newest.version,
    entities: newest.touches.map(({ entity }) => entity),
    held: proposal.held,
    ...(merged && { mergedCommit: merged.commit, mergedBy: merged.by.username }),
    ...(closed && { closedBecause: closed.text, closedBy: closed.by.username }),
  }
}

export function renderProposalDetail(detail: ProposalDetail): ProposalBody {
  const { proposal, base, result, changes, plan, verdict, approval, reviews } = detail
  return {
    ...renderProposal(proposal),
    base,
    result,
    versions: proposal.versions.map(({ version, commit, base: from, by, time }) => {
      return { version, commit, base: from, by: by.username, time }
    }),
    changes,
    plan: plan && { ...plan, rules: [] },
    verdict: verdict && {
      kind: verdict.kind,
      needs: verdict.objections.map(renderObjection),
      warnings: verdict.warnings.map(renderObjection),
    },
    approval,
    approvals: reviews.map(({ event, holds }) => ({
      by: event.by.username,
      decision: event.type,
      version: event.version,
      digest: event.digest,
      time: event.time,
      text: event.text,
      holds,
    })),
    comments: proposal.comments.map(({ by, time, version, text, entity, line }) => ({
      by: by.username,
      time,
      version,
      text,
      ...(entity === undefined ? {} : { entity }),
      ...(line === undefined ? {} : { line }),
    })),
    conflicts: detail.conflicts.map(renderConflict),
    problems: detail.problems,
  }
}

function renderObjection({ rule, of, place, sentence, until }: Objection) {
  const ends = until === undefined ? {} : { until: new Date(until).toISOString() }
  return { rule, of, place, reason: sentence, ...ends }
}

function renderConflict({ entity, path, base, ours, theirs, canBeBoth }: MergeConflict) {
  const sides = { base: masked(base), ours: masked(ours), theirs: masked(theirs) }
  return { entity, path, ...sides, canBeBoth }
}

function masked({ text, line }: ConflictVersion) {
  return { text: maskSecrets(text), line }
}

/**
 * The content that a body has.
 *
 * @throws {ServiceError} `malformed-request`.
 */
export function proposedContent({ document, entities }: ProposalUpdateBody): ProposedContent {
  if (document !== undefined && entities === undefined) {
    return { document: new Uint8Array(Buffer.from(document)) }
  }
  if (entities !== undefined && document === undefined) return { entities }
  throw malformed('A proposal has either a document or entities', 'document')
}
