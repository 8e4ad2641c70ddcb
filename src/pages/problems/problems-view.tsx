import type { ProblemKind, ServiceProblem } from '../../core/health-problem.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { AcknowledgeSecrets } from '../parts/plain-secrets.tsx'
import { groupProblems, type ProblemGroup, ProblemText } from '../kit/notices.tsx'

/** What other programs say about these is folded: it is long, and not made for people. */
const OF_PROGRAMS: readonly ProblemKind[] = ['material']
/** The pipelines of one problem that are named. */
const MOST_PIPELINES = 12
/** The problems of one kind that are listed: tens of thousands of materials may be out of reach. */
const MOST_LISTED = 200

/** The problems of the service by kind, with the pipelines that they are about. */
export function ProblemsView({
  frame,
  flash,
}: {
  frame: PageFrame
  /** The result of the action that led here. */
  flash: FlashMessage | null
}) {
  const { links, problems } = frame
  const groups = groupProblems(problems)
  return (
    <PageLayout
      frame={{ ...frame, problems: [] }}
      title={problems.length === 0 ? 'No problems' : 'Problems'}
      description="What an operator of the build server should look at."
      styles={['problems.css']}
    >
      {flash && <FlashCard flash={flash} />}
      <div class="page-head">
        <div>
          <h1>Problems</h1>
          <p class="muted">
            {problems.length === 0
              ? 'No problem concerns what you may view.'
              : `${problems.length === 1 ? '1 problem' : `${problems.length} problems`} at the moment. The service works meanwhile.`}
          </p>
        </div>
      </div>
      {groups.map((group) => (
        <Group links={links} group={group} />
      ))}
    </PageLayout>
  )
}

function Group({ links, group }: { links: Links; group: ProblemGroup }) {
  const { kind, text, problems } = group
  const more = problems.length - MOST_LISTED
  return (
    <section class="card problems" aria-labelledby={`problems-${kind}`}>
      <h2 id={`problems-${kind}`}>{`${text.charAt(0).toUpperCase()}${text.slice(1)}`}</h2>
      <ul>
        {problems.slice(0, MOST_LISTED).map((problem) => (
          <li>
            {OF_PROGRAMS.includes(kind) ? (
              <Folded problem={problem} />
            ) : (
              <ProblemText problem={withoutCall(problem)} />
            )}
            {kind === 'secrets' && <Leaks links={links} problem={problem} />}
            <Pipelines links={links} problem={problem} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p>
          {`and ${more} more: `}
          <a href={links.health()}>all of them as JSON</a>
        </p>
      )}
      {kind === 'live-file' && (
        <p>
          <a href={links.edit()}>Edit the configuration</a>
        </p>
      )}
    </section>
  )
}

function Folded({ problem: { subject, briefly, errors } }: { problem: ServiceProblem }) {
  return (
    <details>
      <summary>{briefly ?? subject}</summary>
      {errors.map(({ message }) => (
        <pre class="output">{message}</pre>
      ))}
    </details>
  )
}

/** Here a button does what the call of a problem does. */
function withoutCall(problem: ServiceProblem): ServiceProblem {
  const { kind, subject, briefly = subject } = problem
  return kind === 'secrets' ? { ...problem, subject: briefly } : problem
}

/** Leads to the revisions with plain secrets, and acknowledges them. */
function Leaks({ links, problem: { commits = [] } }: { links: Links; problem: ServiceProblem }) {
  const [newest] = commits
  if (newest === undefined) return <></>
  return (
    <div class="leaks">
      {commits.map((commit) => (
        <a href={links.snapshot(commit)}>{commit.slice(0, 10)}</a>
      ))}
      <AcknowledgeSecrets links={links} commit={newest} />
    </div>
  )
}

function Pipelines({ links, problem }: { links: Links; problem: ServiceProblem }) {
  const { pipelines = [] } = problem
  if (pipelines.length === 0) return <></>
  const more = pipelines.length - MOST_PIPELINES
  return (
    <p class="pipelines">
      {pipelines.length === 1 ? 'Pipeline ' : 'Pipelines '}
      {pipelines.slice(0, MOST_PIPELINES).map((name) => (
        <a href={links.pipeline(name)}>{name}</a>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  )
}
