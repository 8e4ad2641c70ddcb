import type { PipelineRunFacts } from '../../builds/runs/pipeline-runs.ts'
import { isObjectName } from '../../core/object-name.ts'
import { shownVariable } from '../../builds/runs/run-variables.ts'
import { parseUpstream } from '../../builds/engine/upstream-revision.ts'
import type { Links } from '../kit/links.ts'
import { countOf } from '../kit/words/count.ts'
import { FirstOf } from '../kit/lists.tsx'
import type { RunMaterial } from './material-names.ts'

/** The materials of a run and, where a revision is new, that of the previous run. */
export function Materials(props: { links: Links; materials: readonly RunMaterial[] }) {
  const { links, materials } = props
  if (materials.length === 0) return <></>
  return (
    <ul class="materials">
      {materials.map(({ label, revision, before, isPinned, modifications, problem }) => (
        <li>
          <span class="muted">{`${label} `}</span>
          {before !== null && (
            <>
              <code title={before}>{short(before)}</code>
              <span aria-hidden="true"> → </span>
              <span class="visually-hidden"> then </span>
            </>
          )}
          <RevisionLink links={links} revision={revision} />
          {isPinned && <span class="muted"> as requested</span>}
          {problem !== null && (
            <p class="problem">{`It cannot be read at the moment: ${problem}`}</p>
          )}
          {modifications.length > 0 && parseUpstream(revision) === null && (
            <Modifications modifications={modifications} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** A revision; that of an upstream pipeline leads to its run. */
function RevisionLink({ links, revision }: { links: Links; revision: string }) {
  const upstream = parseUpstream(revision)
  const code = <code title={revision}>{short(revision)}</code>
  return upstream === null ? code : <a href={links.stageRun(upstream)}>{code}</a>
}

/** The variables that override those of the configuration in a run. */
export function RunVariables({ variables }: Pick<PipelineRunFacts['run'], 'variables'>) {
  if (variables.length === 0) return <></>
  return (
    <ul class="materials" aria-label="Variables of this run">
      {variables.map(shownVariable).map(({ name, value }) => (
        <li>
          <code>{name}</code> <span class="muted">is</span> <code>{value}</code>
        </li>
      ))}
    </ul>
  )
}

/** The changes of a material: the author and the first line of the message. */
function Modifications({ modifications }: Pick<RunMaterial, 'modifications'>) {
  return (
    <FirstOf
      class="modifications"
      items={modifications}
      most={SHOWN}
      of={({ username, comment }) => (
        <>
          <b title={username}>{nameOf(username)}</b> {comment.split('\n')[0]}
        </>
      )}
      more={(left) => `and ${countOf(left, 'more change')}`}
    />
  )
}

/** The newest change that a run was the first to include, or the revision it ran with. */
export function Cause({ materials }: { materials: readonly RunMaterial[] }) {
  const [material, ...others] = materials
  if (!material) return <></>
  const [newest] = material.modifications
  const revision = newest?.revision ?? material.revision
  return (
    <span class="cause">
      <code title={`${material.label}: ${revision}`}>{short(revision)}</code>
      {newest &&
        parseUpstream(revision) === null &&
        ` ${newest.comment.split('\n')[0]} (${nameOf(newest.username)})`}
      {others.length > 0 && (
        <span class="muted">{` and ${countOf(others.length, 'more material')}`}</span>
      )}
    </span>
  )
}

/** The user name without the e-mail address that some version controls add. */
function nameOf(username: string): string {
  const address = username.endsWith('>') ? username.lastIndexOf('<') : -1
  return username.slice(0, Math.max(0, address)).trimEnd() || username
}

/** The number of changes shown for one material. */
const SHOWN = 3

/** The start of a commit id; revisions of other kinds are shown in full. */
function short(revision: string): string {
  return isObjectName(revision) ? revision.slice(0, 8) : revision
}
