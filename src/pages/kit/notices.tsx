import type { ProblemKind, ServiceProblem } from '../../core/health-problem.ts'
import type { Links } from './links.ts'

type Wording = (count: number) => string

/** The wordings of problems, for one thing and for several. */
const WORDINGS: Readonly<Record<ProblemKind, Wording>> = {
  repository: () => 'the repository of the configuration cannot be used',
  'live-file': () => 'the file on disk is not valid',
  commit: () => 'a commit is not a valid configuration',
  conflict: () => 'a change conflicts with one of another server',
  revision: (n) => `${n === 1 ? 'a revision' : `${n} revisions`} cannot be read`,
  disk: (n) => `${n === 1 ? 'a disk is' : `${n} disks are`} full`,
  database: () => 'the database cannot be reached',
  servers: (n) => `${n === 1 ? 'a server needs' : `${n} servers need`} a look`,
  lag: () => 'this server has not caught up with the others',
  audit: () => 'actions cannot be recorded',
  mirror: () => 'the mirror does not take revisions',
  builds: (n) => (n === 1 ? 'a job or its files need attention' : `${n} jobs need attention`),
  agents: (n) => `${n === 1 ? 'an agent is' : `${n} agents are`} refused`,
  identity: () => 'the server and its configuration have different ids',
  'log-in': () => 'some users cannot log in',
  secrets: () => 'commits have secrets in plain text',
  material: (n) => `${n === 1 ? 'a material' : `${n} materials`} cannot be read`,
  'stuck-jobs': (n) => `${n === 1 ? 'a job has' : `${n} groups of jobs have`} no agent`,
  unsupported: () => 'the configuration has parts that nobody here acts on',
  'stranded-stages': (n) => `${n === 1 ? 'a stage' : `${n} groups of stages`} cannot start`,
  webhook: (n) => `${n === 1 ? 'a webhook takes' : `${n} webhooks take`} no revisions`,
}

/** Problems of one kind. */
export interface ProblemGroup {
  readonly kind: ProblemKind
  /** The problem, such as `35 materials cannot be read`. */
  readonly text: string
  readonly problems: readonly ServiceProblem[]
}

/** Groups problems by kind, in their order. */
export function groupProblems(problems: readonly ServiceProblem[]): readonly ProblemGroup[] {
  const kinds = [...new Set(problems.map(({ kind }) => kind))]
  return kinds.map((kind) => {
    const alike = problems.filter((problem) => problem.kind === kind)
    return { kind, text: `${WORDINGS[kind](alike.length)}${placeOf(alike)}`, problems: alike }
  })
}

/** The line of a single error in a file; only problems of documents have one. */
function placeOf(problems: readonly ServiceProblem[]): string {
  const [first, ...others] = problems.flatMap(({ errors }) => errors)
  if (first?.line === undefined || problems.length > 1) return ''
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return ` (line ${first.line}, column ${first.column ?? 1}${more})`
}

export interface NoticesProps {
  readonly links: Links
  readonly problems: readonly ServiceProblem[]
  /** The subjects of the page: problems of these kinds are shown in full. */
  readonly concerns: readonly ProblemKind[]
}

/** Every page says how old it is, where it may be out of date. */
const ALWAYS: readonly ProblemKind[] = ['lag']

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
        <aside class="notice" aria-label="Problems">
          <a href={links.problems()}>
            {others.length === 1 ? '1 problem' : `${others.length} problems`}
          </a>
          {`: ${groupProblems(others)
            .map(({ text }) => text)
            .join(', ')}`}
        </aside>
      )}
    </>
  )
}

const MAX_ERRORS = 20

/** A problem with the places of its errors. */
export function ProblemText({ problem: { subject, errors } }: { problem: ServiceProblem }) {
  const isRepeated = errors.length === 1 && errors.every(({ message }) => subject.includes(message))
  const more = errors.length - MAX_ERRORS
  return (
    <>
      <strong>{subject}</strong>
      {!isRepeated && errors.length > 0 && (
        <ul>
          {errors.slice(0, MAX_ERRORS).map(({ line, column, message }) => (
            <li>{line === undefined ? message : `Line ${line}, column ${column}: ${message}`}</li>
          ))}
        </ul>
      )}
      {more > 0 && <p>{`and ${more} more`}</p>}
    </>
  )
}
