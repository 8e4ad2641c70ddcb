import type { ReportedChange } from './change-report.ts'

export const REPORT_FORMS = ['text', 'csv', 'json'] as const
export type ReportForm = (typeof REPORT_FORMS)[number]

const COLUMNS = [
  'time',
  'commit',
  'author',
  'subject',
  'reason',
  'proposal',
  'approved',
  'overrode',
  'merged',
]

/** A report in one of its forms, with a line feed at its end where it has a line. */
export function renderReport(changes: readonly ReportedChange[], form: ReportForm): string {
  const lines = RENDERINGS[form](changes)
  return lines.map((line) => `${line}\n`).join('')
}

const RENDERINGS: Readonly<
  Record<ReportForm, (changes: readonly ReportedChange[]) => readonly string[]>
> = {
  text: (changes) => changes.flatMap(linesOf),
  csv: (changes) => [COLUMNS, ...changes.map(cellsOf)].map((row) => row.map(quoted).join(',')),
  json: (changes) => [JSON.stringify(changes, null, 2)],
}

function cellsOf(change: ReportedChange): readonly string[] {
  const { time, commit, author, subject, reason, proposal, mergedBy, approvals, overrides } = change
  const approved = approvals.map(({ by, digest }) => `${by} ${digest}`).join('; ')
  const overrode = overrides.map(({ by, rule }) => `${by} ${rule}`).join('; ')
  const about = [time, commit, author, subject, reason, `${proposal ?? ''}`]
  return [...about, approved, overrode, mergedBy ?? '']
}

/** A cell that no spreadsheet takes for a formula. */
function quoted(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

function linesOf(change: ReportedChange): readonly string[] {
  const { time, commit, author, subject, reason, proposal, mergedBy, approvals, overrides } = change
  return [
    `${time} ${commit.slice(0, 10)} ${author}: ${subject}`,
    ...(reason === '' ? [] : [`  reason: ${reason.replaceAll('\n', '\n          ')}`]),
    ...(proposal === null ? [] : [`  proposal: ${proposal}`]),
    ...(mergedBy === null ? [] : [`  merged by ${mergedBy}`]),
    ...approvals.map(({ by, digest }) => `  approved by ${by}: ${digest}`),
    ...overrides.map(({ by, rule, inRecovery = false }) => {
      return `  ${inRecovery ? 'passed in a recovery' : 'overridden'} by ${by}: ${rule}`
    }),
  ]
}
