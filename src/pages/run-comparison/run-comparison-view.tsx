import type { Child } from 'hono/jsx'
import type { RunCause, CauseSubject } from '../../builds/compare/causes.ts'
import type { RunComparison } from '../../builds/compare/compare-runs.ts'
import type { ComparedMaterial, ComparedUpstream } from '../../builds/compare/run-comparison.ts'
import type { DatedChange } from '../../configuration/changes/changes-between.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { FirstOf, moreOf } from '../kit/lists.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'

export interface RunComparisonViewProps extends OpenPageWithMessage {
  readonly found: RunComparison
  /** Whether the caller administers the group of the pipeline. */
  readonly mayAdminister: boolean
  /** The entity that the caller may undo a change of, or propose to; null for none. */
  readonly undoneWith: (entity: string) => EntityPlace | null
}

/** The limits of what is listed at once. */
const MAX_CAUSES = 20
const MAX_COMMITS = 20
const MAX_CHANGES = 50

/** The differences between two runs: the likely causes first, then everything by its kind. */
export function RunComparisonView(props: RunComparisonViewProps) {
  const { frame, found, flash } = props
  const { pipeline, from, to } = found
  return (
    <PageLayout
      frame={frame}
      title={`${pipeline}: run ${from.counter} and run ${to.counter}`}
      section="pipelines"
      styles={['runs.css']}
    >
      <Head {...props} />
      {flash !== null && <FlashCard flash={flash} />}
      <Causes {...props} />
      <Configuration {...props} />
      <Materials {...props} />
      <Upstream {...props} />
      <Variables {...props} />
      <Agents {...props} />
    </PageLayout>
  )
}

function Head({ frame: { links }, found, mayAdminister }: RunComparisonViewProps) {
  const { pipeline, from, to, stage, configuration } = found
  const name = stage?.to.stage.name ?? pipeline
  const isAttempt = from.counter === to.counter
  const attempts = stage?.from
    ? `attempt ${stage.from.stage.counter} (${stage.from.result}) and attempt ${stage.to.stage.counter} (${stage.to.result})`
    : ''
  const runs = `run ${from.counter} (${stage?.from?.result ?? 'not run'}) and run ${to.counter} (${stage?.to.result ?? 'not run'})`
  return (
    <PageHead
      title={
        isAttempt ? 'What changed between the attempts' : `What changed since run ${from.counter}`
      }
      trail={[
        ['Pipelines', links.pipelines()],
        [pipeline, links.pipeline(pipeline)],
      ]}
      about={isAttempt ? `${name}: ${attempts} of run ${to.counter}` : `${name}: ${runs}`}
    >
      {mayAdminister && configuration.from !== null && (
        <form method="post" class="actions">
          <ActionButton value="run-again" label="Run again as it was configured then" />
        </form>
      )}
    </PageHead>
  )
}

function Causes({ frame: { links }, found, undoneWith }: RunComparisonViewProps) {
  return (
    <section class="card" aria-labelledby="causes">
      <h2 id="causes">Possible causes, most likely first</h2>
      {found.causes.length === 0 && <p class="muted">No recorded differences between the runs.</p>}
      {found.causes.length > 0 && (
        <ol class="bullets">
          {found.causes.slice(0, MAX_CAUSES).map((cause) => (
            <li>
              <CauseText links={links} found={found} cause={cause} />
              <Undo links={links} cause={cause} undoneWith={undoneWith} />
            </li>
          ))}
        </ol>
      )}
      {found.causes.length > MAX_CAUSES && (
        <p class="muted">{`${moreOf(found.causes.length - MAX_CAUSES)} below`}</p>
      )}
    </section>
  )
}

interface CauseProps {
  readonly links: Links
  readonly cause: RunCause
}

function CauseText({ links, found, cause }: CauseProps & Pick<RunComparisonViewProps, 'found'>) {
  if (cause.about === null) return <>{cause.text}</>
  return <a href={linkOf(links, cause.about, found)}>{cause.text}</a>
}

function linkOf(links: Links, about: CauseSubject, { pipeline, from, to }: RunComparison): string {
  switch (about.type) {
    case 'revision':
      return links.entityChange(splitEntity(about.entity), about)
    case 'commit': {
      const runs = { from: from.counter, to: to.counter }
      return `${links.compareRuns(pipeline, runs)}#${commitId(about.revision)}`
    }
    case 'run':
      return `${links.pipeline(about.pipeline)}#run-${about.counter}`
    case 'agent':
      return links.agent(about.uuid)
  }
}

function commitId(revision: string): string {
  return encodeURIComponent(`commit-${revision}`)
}

/** Leads to the preview of what an undo of the revision changes. */
function Undo({
  links,
  cause,
  undoneWith,
}: CauseProps & Pick<RunComparisonViewProps, 'undoneWith'>) {
  if (cause.about?.type !== 'revision') return <></>
  const { number, entity } = cause.about
  const undone = undoneWith(entity)
  if (undone === null) return <></>
  return (
    <>
      {' '}
      <LinkButton
        href={links.undoEntity(undone, `r${number}`)}
        label="Undo this change"
        look="quiet"
        title={`Undo r${number}`}
      />
    </>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: Child }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Configuration(props: RunComparisonViewProps) {
  const { found } = props
  const { from, to, isComplete } = found.configuration
  const name = (side: typeof from) =>
    side?.number == null ? side?.digest.slice(0, 8) : `r${side.number}`
  if (from === null || to === null) {
    const unknown = from === null ? found.from : found.to
    return (
      <Section title="Configuration">
        <p class="muted">{`Run ${unknown.counter} did not record its configuration.`}</p>
      </Section>
    )
  }
  return (
    <Section title="Configuration">
      <p class="muted">
        {from.digest === to.digest
          ? `${name(to)} in both runs.`
          : `From ${name(from)} to ${name(to)}.`}
        {!isComplete && ' Not all changes are listed.'}
      </p>
      {found.changes.length === 0 && from.digest !== to.digest && (
        <p>No changes to this pipeline in between.</p>
      )}
      <FirstOf
        items={found.changes}
        most={MAX_CHANGES}
        of={(dated) => <Change {...props} dated={dated} />}
      />
    </Section>
  )
}

type ChangeProps = RunComparisonViewProps & { readonly dated: DatedChange }

function Change({ frame: { links }, dated: { change, made }, now }: ChangeProps) {
  const place = splitEntity(change.entity)
  const text = `${place.kind} ${change.label}: ${renderChange(change)}`
  if (made === null) return <>{text}</>
  const { number, base, revision } = made
  return (
    <>
      <a href={links.entityChange(place, { number, base })}>{`r${number}`}</a>
      {` ${text} `}
      <span class="muted">
        {`by ${revision.username}, `}
        <When time={revision.time} now={now} />
        {revision.message !== '' && `: ${revision.message.split('\n')[0]}`}
      </span>
    </>
  )
}

function Materials({ found, now }: RunComparisonViewProps) {
  if (found.materials.length === 0) return <></>
  return (
    <Section title="Materials">
      {found.materials.map((material) => (
        <Material material={material} now={now} />
      ))}
    </Section>
  )
}

function Material({ material, now }: { material: ComparedMaterial; now: number }) {
  const { description, from, to, commits } = material
  return (
    <>
      <h3>{description}</h3>
      <p class="muted" id={commits.length === 0 ? `commit-${to ?? from ?? ''}` : undefined}>
        <code>{from ?? 'not in the earlier run'}</code>
        {' → '}
        <code>{to ?? 'not in the later run'}</code>
      </p>
      <FirstOf
        items={commits}
        most={MAX_COMMITS}
        of={({ revision, username, comment, time, run }) => (
          <span id={`commit-${revision}`}>
            <code>{revision.slice(0, 12)}</code>
            {` ${comment.split('\n')[0]} `}
            <span class="muted">
              {`by ${username}, `}
              <When time={time} now={now} />
              {`, in run ${run}`}
            </span>
          </span>
        )}
      />
    </>
  )
}

function Upstream({ frame: { links }, found }: RunComparisonViewProps) {
  if (found.upstream.length === 0) return <></>
  return (
    <Section title="Upstream pipelines">
      <FirstOf
        items={found.upstream}
        most={MAX_CHANGES}
        of={(upstream) => <UpstreamRun links={links} upstream={upstream} />}
      />
    </Section>
  )
}

function UpstreamRun({ links, upstream }: { links: Links; upstream: ComparedUpstream }) {
  const { pipeline, stage, from, to } = upstream
  const [before, after] = [from, to].map((run) => Number(run?.split('/')[1] ?? Number.NaN))
  const text = `${pipeline} / ${stage}: ${from ?? 'not in the earlier run'} → ${to ?? 'not in the later run'}`
  if (from === null || to === null) return <a href={links.pipeline(pipeline)}>{text}</a>
  return <a href={links.compareRuns(pipeline, { from: before ?? 0, to: after ?? 0 })}>{text}</a>
}

function Variables({ found }: RunComparisonViewProps) {
  if (found.variables.length === 0) return <></>
  return (
    <Section title="Variables given">
      <Table
        label="Variables given"
        columns={[{ label: 'Variable', isHead: true, isPlain: true }, 'Earlier run', 'Later run']}
        rows={found.variables.map(({ name, from, to }) => ({
          cells: [name, from ?? 'not given', to ?? 'not given'],
        }))}
      />
    </Section>
  )
}

function Agents({ frame: { links }, found }: RunComparisonViewProps) {
  if (found.agents.length === 0) return <></>
  return (
    <Section title={`Agents of ${countOf(found.agents.length, 'job')}`}>
      <Table
        label="Agents"
        columns={[{ label: 'Job', isHead: true, isPlain: true }, 'Agent', 'Difference']}
        rows={found.agents.slice(0, MAX_CHANGES).map(({ stage, job, to, changes }) => ({
          cells: [
            `${stage} / ${job}`,
            to && <a href={links.agent(to.uuid)}>{to.hostname}</a>,
            <FirstOf items={changes} most={MAX_CHANGES} of={({ text }) => text} />,
          ],
        }))}
      />
    </Section>
  )
}
