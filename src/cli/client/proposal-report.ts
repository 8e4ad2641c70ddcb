import type { AnswerOf } from '../../client/call-types.ts'

/** A proposal in a few lines: its state, and whose approval it needs. */
export function describeProposal(
  proposal: AnswerOf<'GET /api/proposals/:number'>,
): readonly string[] {
  const { number, title, state, version, entities, verdict, problems, conflicts } = proposal
  return [
    `Proposal ${number}, version ${version}, is ${state}: ${title}`,
    ...entities.map((entity) => `  changes ${entity}`),
    ...(state === 'open' ? (verdict?.needs ?? []) : []).map(
      ({ rule, of, reason }) =>
        `  ${rule} needs ${of.join(', ')}${reason === '' ? '' : `: ${reason}`}`,
    ),
    ...conflicts.map(({ path }) => `  changed by others too: ${path}`),
    ...problems.map((problem) => `  not valid: ${problem}`),
  ]
}
