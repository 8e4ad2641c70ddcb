import type { ProblemKind, ServiceProblem } from '../../core/service/health-problem.ts'
import { plural } from '../../lib/plural.ts'
import { countOf } from './words/count.ts'
import { Icon } from './icon.tsx'
import type { Links } from './links.ts'
import { FirstOf, problemText } from './lists.tsx'

type Wording = (count: number) => string

/** Problems of each kind as the part of a sentence. */
const WORDINGS: Readonly<Record<ProblemKind, Wording>> = {
  repository: () => 'the repository of the configuration cannot be used',
  'live-file': () => 'the file on disk is not valid',
  commit: () => 'a commit is not a valid configuration',
  refused: (n) =>
    `${countOf(n, 'change')} outside of the service ${plural(n, 'waits', 'wait')} for a decision`,
  conflict: () => 'a change conflicts with one of another server',
  revision: (n) => countOf(n, 'unreadable revision'),
  disk: (n) => countOf(n, 'full or missing disk'),
  database: () => 'the database cannot be reached',
  servers: (n) => `${countOf(n, 'server')} ${plural(n, 'needs', 'need')} attention`,
  lag: () => 'this server lags behind the others',
  audit: () => 'actions cannot be recorded',
  mirror: () => 'the mirror rejects revisions',
  builds: (n) => `${countOf(n, 'job')} ${plural(n, 'needs', 'need')} attention`,
  agents: (n) => countOf(n, 'refused agent'),
  identity: () => 'the server and its configuration have different IDs',
  'log-in': () => 'some users cannot log in',
  keys: () => 'keys of secrets may be lost',
  secrets: (n) => `${countOf(n, 'revision')} with plain-text secrets`,
  rules: () => 'the rules about changes need attention',
  recovery: () => 'rules can be bypassed',
  override: (n) => `${countOf(n, 'override')} of rules to acknowledge`,
  material: (n) => countOf(n, 'unreadable material'),
  'stuck-jobs': (n) => `${countOf(n, 'job')} without an agent`,
  unsupported: () => 'unsupported parts in the configuration',
  'stranded-stages': (n) => `${countOf(n, 'stage')} cannot start`,
  webhook: (n) => countOf(n, 'failing webhook'),
  mail: () => 'mail is not sent',
}

/** Problems of one kind. */
export interface ProblemGroup {
  readonly kind: ProblemKind
  /** The problem, such as `35 unreadable materials`. */
  readonly text: string
  readonly problems: readonly ServiceProblem[]
}

/** Groups problems by kind, in their order. */
export function groupProblems(problems: readonly ServiceProblem[]): readonly ProblemGroup[] {
  const kinds = [...new Set(problems.map(({ kind }) => kind))]
  return kinds.map((kind) => {
    const alike = problems.filter((problem) => problem.kind === kind)
    const count = alike.reduce((sum, { revisions }) => sum + Math.max(1, revisions?.length ?? 0), 0)
    return { kind, text: `${WORDINGS[kind](count)}${placeOf(alike)}`, problems: alike }
  })
}

/** Counts unsupported parts as one problem, in however many pipelines they are. */
export function problemCount(problems: readonly ServiceProblem[]): number {
  const parts = problems.filter(({ kind }) => kind === 'unsupported').length
  return problems.length - Math.max(0, parts - 1)
}

/** The line of a single error in a file; only problems of documents have one. */
function placeOf(problems: readonly ServiceProblem[]): string {
  const inFile = problems.filter(({ kind }) => kind !== 'secrets')
  const [first, ...others] = inFile.flatMap(({ errors }) => errors)
  if (first?.line === undefined || inFile.length > 1) return ''
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return ` (line ${first.line}, column ${first.column ?? 1}${more})`
}

export interface NoticesProps {
  readonly links: Links
  readonly problems: readonly ServiceProblem[]
  /** The kinds that the page itself is about: their problems are shown in full. */
  readonly concerns: readonly ProblemKind[]
}

/** Every page says that it may be out of date, and that rules do not hold. */
const ALWAYS: readonly ProblemKind[] = ['lag', 'recovery']

/** While one of these lasts, changes cannot be saved. */
const SEVERE: readonly ProblemKind[] = ['repository', 'database']

/** Whether one of the problems keeps changes from being saved. */
export function areSevere(problems: readonly ServiceProblem[]): boolean {
  return problems.some(({ kind }) => SEVERE.includes(kind))
}

/** One line about the problems of the service, and in full those that the page itself is about. */
export function Notices({ links, problems, concerns }: NoticesProps) {
  const inFull = [...ALWAYS, ...concerns]
  const own = problems.filter(({ kind }) => inFull.includes(kind))
  const others = problems.filter(({ kind }) => !inFull.includes(kind))
  return (
    <>
      {own.map((problem) => (
        <div class="notice bad" role="status">
          <ProblemText problem={problem} />
        </div>
      ))}
      {others.length > 0 && (
        <aside class={areSevere(others) ? 'notice bad' : 'notice'} aria-label="Problems">
          <Icon name="alert" />{' '}
          <a href={links.problems()}>{countOf(problemCount(others), 'problem')}</a>
          <span class="in-wide">
            {`: ${groupProblems(others)
              .map(({ text }) => text)
              .join(', ')}`}
          </span>
        </aside>
      )}
    </>
  )
}

const MAX_ERRORS = 20

/** A problem with the places of its errors. */
export function ProblemText({ problem: { subject, errors } }: { problem: ServiceProblem }) {
  const isRepeated = errors.length === 1 && errors.every(({ message }) => subject.includes(message))
  return (
    <>
      <strong>{subject}</strong>
      {!isRepeated && errors.length > 0 && (
        <FirstOf items={errors} most={MAX_ERRORS} of={problemText} />
      )}
    </>
  )
}
