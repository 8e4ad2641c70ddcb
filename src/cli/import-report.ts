import type { WillNotRun } from '../builds/configured/unsupported.ts'
import { withoutCredentials } from '../core/hidden-credentials.ts'
import type { Problem } from '../core/problem.ts'
import { plural } from '../lib/plural.ts'
import type { Imported } from '../operations/import/import-repository.ts'
import type { AgentsReport } from '../operations/import/old-agents.ts'
import type { DocumentReport } from '../operations/import/report-only.ts'

/** The limits of commits that are listed for one reason, and of problems for each. */
const MAX_COMMITS = 10
const MAX_PROBLEMS = 3

/** Sentences about all that no import takes. */
const NOT_TAKEN = [
  'runs, consoles and artifacts: they are in the database and on the disk of the other server',
  'users and their passwords: `cairn user add` makes them, or a directory has them',
] as const

interface ImportOf {
  readonly from: string
  readonly sourceFile: string
}

/** The report of an import for people, line by line. */
export function describeImport(imported: Imported, of: ImportOf): string[] {
  const { branch, current, sealed, agents, willNotRun } = imported
  const { sourceFile } = of
  return [
    `Imported ${imported.imported} ${plural(imported.imported, 'commit')} of ${withoutCredentials(of.from)}, branch ${branch}`,
    ...counted(imported.known, `${plural(imported.known, 'was', 'were')} dealt with before`),
    ...counted(imported.older, 'left out: older than --since'),
    ...counted(imported.absent, `left out: without ${sourceFile}`),
    ...counted(imported.tooLarge.length, 'left out: too large'),
    ...imported.tooLarge.slice(0, MAX_COMMITS).map((each) => largeLine(each, sourceFile)),
    ...counted(imported.unchanged, 'left out: the document is as before'),
    ...counted(imported.invalid.length, 'left out: not valid'),
    ...imported.invalid.slice(0, MAX_COMMITS).flatMap((each) => invalidLines(each, sourceFile)),
    ...counted(sealed, 'had plain secrets, which were sealed; their digests are others'),
    ...(agents === null ? [] : agentLines(agents)),
    ...NOT_TAKEN.map((sentence) => `Not taken: ${sentence}`),
    ...willNotRunLines(willNotRun, sourceFile),
    `The current configuration has the digest ${current.digest}, by ${current.username}`,
  ]
}

/** The same for programs. */
export function jsonOfImport(imported: Imported, { from, sourceFile }: ImportOf): object {
  const { current, agents, willNotRun, ...history } = imported
  const { digest, commit, username } = current
  return {
    from: withoutCredentials(from),
    file: sourceFile,
    history,
    current: { digest, commit, username },
    agents,
    notTaken: NOT_TAKEN,
    willNotRun,
  }
}

/** The report about one document for people. */
export function describeDocument({ file, errors, willNotRun }: DocumentReport): string[] {
  if (errors.length === 0) return [`${file} is valid`, ...willNotRunLines(willNotRun, file)]
  return [`${file} is not valid`, ...errors.map((error) => `       ${problemText(file, error)}`)]
}

function agentLines({ taken, left, ignored }: AgentsReport): string[] {
  const disabled = taken.filter(({ isDisabled }) => isDisabled).length
  return [
    `Listed ${taken.length} ${plural(taken.length, 'agent')}, ${disabled} of them disabled`,
    ...left.map(({ hostname, uuid, because }) => `       not ${hostname} (${uuid}): ${because}`),
    ...ignored.map(({ uuid, kind, name }) => `       ${uuid} without the ${kind} ${name}`),
  ]
}

function willNotRunLines(parts: readonly WillNotRun[], file: string): string[] {
  if (parts.length === 0) return ['Every part of it can run here']
  return [
    `${parts.length} ${plural(parts.length, 'part')} of it will not run here:`,
    ...parts.map(
      ({ entity, at, what, because }) =>
        `       ${file}:${at.line}:${at.column}: ${entity}: ${what}: ${because}`,
    ),
  ]
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${String(count).padStart(6)} ${what}`]
}

function invalidLines(
  { commit, author, problems }: Imported['invalid'][number],
  sourceFile: string,
): string[] {
  return problems.slice(0, MAX_PROBLEMS).map((problem) => {
    return `       ${commit.slice(0, 10)} by ${author}: ${problemText(sourceFile, problem)}`
  })
}

function problemText(file: string, { message, line, column }: Problem): string {
  const place = line === undefined ? '' : `:${line}:${column ?? 1}`
  return `${file}${place}: ${message}`
}

function largeLine(
  { commit, author, size }: Imported['tooLarge'][number],
  sourceFile: string,
): string {
  return `       ${commit.slice(0, 10)} by ${author}: ${sourceFile}: it has ${size} bytes`
}
