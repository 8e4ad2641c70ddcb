import type { ProblemKind, ServiceProblem } from '../../core/health-problem.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { countOf, plural } from '../kit/count.ts'
import { FirstOf, moreOf } from '../kit/lists.tsx'
import { PageHead } from '../kit/page-head.tsx'
import type { Links } from '../kit/links.ts'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { AcknowledgeSecrets } from '../parts/plain-secrets.tsx'
import { groupProblems, type ProblemGroup, ProblemText } from '../kit/notices.tsx'

/** Output of other programs about these is folded: it is long, and not written for people. */
const OF_PROGRAMS: readonly ProblemKind[] = ['material']
/** Problems that a button of this page ends. */
const WITH_BUTTON: readonly ProblemKind[] = ['secrets', 'override']
/** The pipelines of one problem that are named. */
const MAX_PIPELINES = 12
/** The problems of one kind that are listed: tens of thousands of materials may be out of reach. */
const MAX_LISTED = 200

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
    >
      {flash && <FlashCard flash={flash} />}
      <PageHead
        title="Problems"
        about={
          problems.length === 0
            ? 'No problem concerns what you may view.'
            : `${countOf(problems.length, 'open problem')}. The service is running.`
        }
      />
      {groups.map((group) => (
        <Group links={links} group={group} />
      ))}
    </PageLayout>
  )
}

function Group({ links, group }: { links: Links; group: ProblemGroup }) {
  const { kind, text, problems } = group
  return (
    <section class="card problems" aria-labelledby={`problems-${kind}`}>
      <h2 id={`problems-${kind}`}>{`${text.charAt(0).toUpperCase()}${text.slice(1)}`}</h2>
      <FirstOf
        class="rows"
        items={problems}
        most={MAX_LISTED}
        of={(problem) => <Listed links={links} kind={kind} problem={problem} />}
        more={(left) => (
          <>
            {`and ${moreOf(left)}: `}
            <a href={links.health()}>all of them as JSON</a>
          </>
        )}
      />
      {kind === 'live-file' && (
        <p>
          <a href={links.edit()}>Edit the configuration</a>
        </p>
      )}
    </section>
  )
}

interface ListedProps {
  readonly links: Links
  readonly kind: ProblemKind
  readonly problem: ServiceProblem
}

function Listed({ links, kind, problem }: ListedProps) {
  return (
    <>
      {OF_PROGRAMS.includes(kind) ? (
        <Folded problem={problem} />
      ) : (
        <ProblemText problem={withoutCall(problem)} />
      )}
      {kind === 'secrets' && <Leaks links={links} problem={problem} />}
      {kind === 'override' && <Override links={links} problem={problem} />}
      <Pipelines links={links} problem={problem} />
    </>
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
  return WITH_BUTTON.includes(kind) ? { ...problem, subject: briefly } : problem
}

/** Leads to the revisions with plain secrets, and acknowledges them. */
function Leaks({ links, problem: { commits = [] } }: { links: Links; problem: ServiceProblem }) {
  const [newest] = commits
  if (newest === undefined) return <></>
  return (
    <div class="row">
      {commits.map((commit) => (
        <a href={links.snapshot(commit)}>{commit.slice(0, 10)}</a>
      ))}
      <AcknowledgeSecrets links={links} commit={newest} />
    </div>
  )
}

/** Leads to the revision that passed rules, and acknowledges it. */
function Override({ links, problem: { commits = [] } }: { links: Links; problem: ServiceProblem }) {
  return (
    <>
      {commits.map((commit) => (
        <form class="row" method="post" action={links.acknowledgeOverride(commit)}>
          <a href={links.snapshot(commit)}>{commit.slice(0, 10)}</a>
          <button title="Another administrator than the one who made it has seen it">
            Acknowledge
          </button>
        </form>
      ))}
    </>
  )
}

function Pipelines({ links, problem }: { links: Links; problem: ServiceProblem }) {
  const { pipelines = [] } = problem
  if (pipelines.length === 0) return <></>
  const more = pipelines.length - MAX_PIPELINES
  return (
    <p class="row muted">
      {plural(pipelines.length, 'Pipeline')}{' '}
      {pipelines.slice(0, MAX_PIPELINES).map((name) => (
        <a href={links.pipeline(name)}>{name}</a>
      ))}
      {more > 0 && ` and ${moreOf(more)}`}
    </p>
  )
}
