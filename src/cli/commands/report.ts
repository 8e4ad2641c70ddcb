import { resolve } from 'node:path'
import { reportChanges, type ReportedChange } from '../../operations/change-report.ts'
import { programPath } from '../../settings/environment.ts'
import { readSettings, SettingsError } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { say } from '../output.ts'

const COLUMNS = [
  'time',
  'commit',
  'author',
  'subject',
  'reason',
  'proposal',
  'approved',
  'overrode',
]

/** Prints the changes of a time with those who asked for, approved and overrode them. */
export async function report(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.report, args)
  const { since, until, entity, csv, json } = settings
  if (csv && json) throw new SettingsError('give --csv or --json, not both')
  const changes = await reportChanges({
    repository: resolve(settings['config-repo']),
    fileName: settings['config-file'],
    programPath: programPath(),
    since,
    until,
    entity,
  })
  if (json) say(JSON.stringify(changes, null, 2))
  else if (csv) for (const row of [COLUMNS, ...changes.map(cellsOf)]) say(row.map(quoted).join(','))
  else for (const change of changes) for (const line of linesOf(change)) say(line)
  return 0
}

function cellsOf(change: ReportedChange): readonly string[] {
  const { time, commit, author, subject, reason, proposal, approvals, overrides } = change
  const approved = approvals.map(({ by, digest }) => `${by} ${digest}`).join('; ')
  const overrode = overrides.map(({ by, rule }) => `${by} ${rule}`).join('; ')
  return [time, commit, author, subject, reason, `${proposal ?? ''}`, approved, overrode]
}

/** A cell that no spreadsheet takes for a formula. */
function quoted(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

function linesOf(change: ReportedChange): readonly string[] {
  const { time, commit, author, subject, reason, proposal, approvals, overrides } = change
  return [
    `${time} ${commit.slice(0, 10)} ${author}: ${subject}`,
    ...(reason === '' ? [] : [`  reason: ${reason.replaceAll('\n', '\n          ')}`]),
    ...(proposal === null ? [] : [`  proposal: ${proposal}`]),
    ...approvals.map(({ by, digest }) => `  approved by ${by}: ${digest}`),
    ...overrides.map(({ by, rule, inRecovery = false }) => {
      return `  ${inRecovery ? 'passed in a recovery' : 'overridden'} by ${by}: ${rule}`
    }),
  ]
}
