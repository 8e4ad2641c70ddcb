import type { ProblemKind, ServiceProblem } from '../../core/service/health-problem.ts'
import { plural } from '../../lib/plural.ts'
import { capitalised } from '../../lib/texts.ts'
import { type OpenPageWithMessage, type PageFrame, PageLayout } from '../kit/layout.tsx'
import { renderFreeSpace } from '../../core/builds/agent.ts'
import { countOf } from '../kit/words/count.ts'
import { FirstOf, moreOf, Separated } from '../kit/lists.tsx'
import { LinkButton } from '../kit/buttons.tsx'
import { Select } from '../kit/forms.tsx'
import { PageHead } from '../kit/page-head.tsx'
import type { Links } from '../kit/links.ts'
import { EmptyCard, FlashCard } from '../kit/notice.tsx'
import { AcknowledgeSecrets } from '../parts/plain-secrets.tsx'
import {
  areSevere,
  groupProblems,
  problemCount,
  type ProblemGroup,
  ProblemText,
} from '../kit/notices.tsx'

/** Output of other programs about these is folded: it is long, and not written for people. */
const OF_PROGRAMS: readonly ProblemKind[] = ['material']
/** The characters of such output that stand beside a problem. */
const MAX_REASON = 200
/** The pipelines of one problem that are named. */
const MAX_PIPELINES = 12
/** The buttons beside one problem. */
const MAX_CURES = 3
/** The problems of one kind that are listed: tens of thousands of materials may be out of reach. */
const MAX_LISTED = 200

/** The amounts of old files that can be removed at once. */
const AMOUNTS = [1, 10, 100].map((gigabytes) => gigabytes * 1_073_741_824)

/** Whether the caller may operate a pipeline. */
type MayOperate = (pipeline: string) => boolean

interface ProblemsViewProps extends OpenPageWithMessage {
  readonly mayOperate: MayOperate
  /** The bytes that consoles and artifacts take, once they are known. */
  readonly taken: number | null
}

type Shown = Omit<ProblemsViewProps, 'flash'>

/** The problems of the service by kind, with the pipelines that they are about. */
export function ProblemsView({ flash, ...shown }: ProblemsViewProps) {
  const { frame } = shown
  const { problems } = frame
  const groups = groupProblems(problems)
  return (
    <PageLayout
      frame={{ ...frame, problems: [] }}
      title={problems.length === 0 ? 'No problems' : 'Problems'}
      description="Problems that need attention."
    >
      {flash && <FlashCard flash={flash} />}
      <PageHead
        title="Problems"
        about={
          problems.length === 0
            ? noneFor(frame)
            : `${countOf(problemCount(problems), 'open problem')}. ${standingOf(problems)}`
        }
      />
      {problems.length === 0 && (
        <EmptyCard title="Nothing needs attention" icon="check">
          Problems with jobs, agents and saves appear here, each with its fix.
        </EmptyCard>
      )}
      {groups.map((group) => (
        <Group {...shown} group={group} />
      ))}
    </PageLayout>
  )
}

function noneFor({ isAdministrator }: PageFrame): string {
  return `No open problems${isAdministrator ? '' : ' with the pipelines that you can view'}.`
}

function standingOf(problems: readonly ServiceProblem[]): string {
  return areSevere(problems) ? 'Changes cannot be saved.' : 'The service is running.'
}

function Group({ group, ...shown }: Shown & { readonly group: ProblemGroup }) {
  const { links } = shown.frame
  const { kind, text, problems } = group
  return (
    <section class="card problems" aria-labelledby={`problems-${kind}`}>
      <h2 id={`problems-${kind}`}>{capitalised(text)}</h2>
      <FirstOf
        class="rows"
        items={kind === 'unsupported' ? byPart(problems) : problems}
        most={MAX_LISTED}
        of={(problem) => <Listed {...shown} problem={problem} />}
        more={(left) => (
          <>
            {`and ${moreOf(left)}: `}
            <a href={links.health()}>all of them as JSON</a>
          </>
        )}
      />
    </section>
  )
}

interface ListedProps extends Shown {
  readonly problem: ServiceProblem
}

function Listed({ problem, ...shown }: ListedProps) {
  const { kind } = problem
  const { links } = shown.frame
  return (
    <div class="card-head">
      <div>
        {OF_PROGRAMS.includes(kind) ? (
          <Folded problem={problem} />
        ) : (
          <ProblemText problem={inBrief(problem)} />
        )}
        <Pipelines links={links} problem={problem} />
      </div>
      <div class="row">
        <Cure {...shown} problem={problem} />
      </div>
    </div>
  )
}

/** The button or link that a problem is solved with. */
function Cure({ frame, problem, mayOperate, taken }: ListedProps) {
  const { links, isAdministrator } = frame
  const { kind, errors, fingerprint, pipelines = [] } = problem
  if (kind === 'material' && fingerprint !== undefined && pipelines.some(mayOperate)) {
    return (
      <form method="post" action={links.retryMaterial(fingerprint)}>
        <button aria-label={`Try again for ${pipelines.join(', ')}`}>Try again</button>
      </form>
    )
  }
  if (!isAdministrator) return <></>
  if (kind === 'secrets') return <Leaks links={links} problem={problem} />
  if (kind === 'disk') return <FreeRoom links={links} taken={taken} />
  if (kind === 'override') return <Override links={links} problem={problem} />
  const line = errors[0]?.line
  const cures: Partial<Record<ProblemKind, readonly (readonly [href: string, label: string])[]>> = {
    'live-file': [
      [links.liveFile(), line === undefined ? 'Open the file' : `Open line ${line}`],
      [links.edit(), 'Edit the configuration'],
    ],
    'stuck-jobs': agentFor(links, problem),
    agents: [[links.agents(), 'Show the agents']],
    servers: [[links.servers(), 'Show the servers']],
    lag: [[links.servers(), 'Show the servers']],
    'log-in': [[links.users(), 'Show the users']],
    commit: [[links.history(), 'Show the history']],
    refused: [[links.proposals(), 'Show the proposals']],
    conflict: [[links.history(), 'Show the history']],
    revision: [[links.history(), 'Show the history']],
  }
  return (
    <>
      {(cures[kind] ?? []).map(([href, label]) => (
        <LinkButton href={href} label={label} />
      ))}
    </>
  )
}

/**
 * Leads to the agents with the resources that jobs wait for, to the environments that keep agents
 * from them, or to the agents that could take them if they were enabled.
 */
function agentFor(links: Links, { resources, environments = [] }: ServiceProblem) {
  if (resources === undefined) {
    return [[links.agents({ q: 'status:disabled' }), 'Enable an agent'] as const]
  }
  if (environments.length > 0) {
    return environments
      .slice(0, MAX_CURES)
      .map(
        (name) => [links.form({ kind: 'environment', name }), `Edit environment ${name}`] as const,
      )
  }
  if (resources.length === 0) return [[links.agents(), 'Show the agents'] as const]
  const names = resources.join(', ')
  return [[links.agents({ resources: names }), `Give an agent ${names}`] as const]
}

function Folded({ problem: { subject, briefly, errors } }: { problem: ServiceProblem }) {
  const lines = errors.flatMap(({ message }) => message.trim().split('\n'))
  const [first = ''] = lines
  const summary = (
    <>
      {briefly ?? subject}
      {first !== '' && <span class="muted">{`: ${first.slice(0, MAX_REASON)}`}</span>}
    </>
  )
  if (lines.length <= 1 && first.length <= MAX_REASON) return <p>{summary}</p>
  return (
    <details>
      <summary>{summary}</summary>
      {errors.map(({ message }) => (
        <pre class="output">{message}</pre>
      ))}
    </details>
  )
}

/** Here a button does what the call of a problem does, and pipelines are links beside it. */
function inBrief(problem: ServiceProblem): ServiceProblem {
  return { ...problem, subject: problem.briefly ?? problem.subject }
}

/** The same part of many pipelines is said once, with all of them. */
function byPart(problems: readonly ServiceProblem[]): readonly ServiceProblem[] {
  const parts = new Map<string, ServiceProblem>()
  for (const { kind, subject, errors, pipelines = [] } of problems) {
    const sentences = errors.length === 0 ? [subject] : errors.map(({ message }) => message)
    for (const sentence of sentences) {
      const others = parts.get(sentence)?.pipelines ?? []
      const part = { kind, subject: sentence, errors: [], pipelines: [...others, ...pipelines] }
      parts.set(sentence, part)
    }
  }
  return [...parts.values()]
}

/** Removes the oldest files of runs, or keeps new ones from coming. */
function FreeRoom({ links, taken }: { links: Links; taken: number | null }) {
  const options = AMOUNTS.map((bytes) => [String(bytes), renderFreeSpace(bytes)] as const)
  return (
    <>
      {taken !== null && taken > 0 && (
        <form class="row" method="post" action={links.freeRoom()}>
          <span>{`Consoles and artifacts take ${renderFreeSpace(taken)}.`}</span>
          <Select name="bytes" label="How much to remove" options={options} chosen={null} />
          <button class="danger" title="The newest run of each stage keeps its files">
            Remove the oldest
          </button>
        </form>
      )}
      <LinkButton href={links.maintenance()} label="Maintenance" />
    </>
  )
}

/** Leads to the lines with plain secrets, and acknowledges them. */
function Leaks({ links, problem }: { links: Links; problem: ServiceProblem }) {
  const { revisions = [], errors } = problem
  const [newest] = revisions
  if (newest === undefined) return <></>
  const line = revisions.length === 1 ? errors[0]?.line : undefined
  return (
    <>
      {revisions.map(({ number }) => (
        <a href={`${links.snapshot(`r${number}`)}${line === undefined ? '' : `#L${line}`}`}>
          {line === undefined ? `r${number}` : `Line ${line} of r${number}`}
        </a>
      ))}
      <AcknowledgeSecrets links={links} commit={newest.commit} />
    </>
  )
}

/** Leads to the revision that passed rules, and acknowledges it. */
function Override({
  links,
  problem: { revisions = [] },
}: {
  links: Links
  problem: ServiceProblem
}) {
  return (
    <>
      {revisions.map(({ commit, number }) => (
        <form class="row" method="post" action={links.acknowledgeOverride(commit)}>
          <a href={links.snapshot(`r${number}`)}>{`r${number}`}</a>
          <button title="An administrator other than its author has seen it">Acknowledge</button>
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
    <p class="muted">
      {plural(pipelines.length, 'Pipeline')}{' '}
      <Separated
        items={pipelines.slice(0, MAX_PIPELINES)}
        of={(name) => <a href={links.pipeline(name)}>{name}</a>}
      />
      {more > 0 && ` and ${moreOf(more)}`}
    </p>
  )
}
