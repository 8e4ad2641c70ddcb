import type { CauseSubject } from '../../builds/compare/causes.ts'
import type { RunComparison } from '../../builds/compare/compare-runs.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import type { DatedChange } from '../../configuration/changes/changes-between.ts'
import type { RunComparisonBody } from '../../wire/run-comparison-body.ts'

type ChangeBody = RunComparisonBody['configuration']['changes'][number]

export function renderComparison(found: RunComparison, basePath: string): RunComparisonBody {
  const { from, to, stage, configuration } = found
  const linkOf = (about: CauseSubject | null) => about && `${basePath}${addressOf(about, found)}`
  return {
    from: from.counter,
    to: to.counter,
    stage: stage && {
      name: stage.to.stage.name,
      from: stage.from && String(stage.from.stage.counter),
      to: String(stage.to.stage.counter),
    },
    causes: found.causes.map(({ kind, text, about }) => ({ kind, text, link: linkOf(about) })),
    materials: found.materials.map(({ commits, ...material }) => ({
      ...material,
      commits: commits.map(({ revision, username, comment, time, run }) => ({
        revision,
        user_name: username,
        comment,
        modified_time: time,
        run,
      })),
    })),
    upstream: [...found.upstream],
    configuration: {
      from: configuration.from,
      to: configuration.to,
      changes: found.changes.map(renderDatedChange),
      complete: configuration.isComplete,
    },
    variables: [...found.variables],
    agents: found.agents.map(({ changes, ...agent }) => ({
      ...agent,
      changes: changes.map(({ text }) => text),
    })),
  }
}

function renderDatedChange({ change, made }: DatedChange): ChangeBody {
  const text = renderChange(change)
  if (made === null) return { ...change, text, revision: null }
  const { digest, commit, username, time, message } = made.revision
  const revision = { number: made.number, commit, digest, username, time, message }
  return { ...change, text, revision }
}

/** The page of what a cause is about; a commit is listed on the page of the comparison. */
function addressOf(about: CauseSubject, { pipeline, from, to }: RunComparison): string {
  switch (about.type) {
    case 'revision': {
      const { entity, number, base } = about
      const [kind = '', ...name] = entity.split('/')
      const place = `${encodeURIComponent(kind)}/${encodeURIComponent(name.join('/'))}`
      return `/config/entity/${place}/compare/r${base ?? number}/r${number}`
    }
    case 'commit': {
      const runs = `/pipelines/${encodeURIComponent(pipeline)}/compare/${from.counter}/${to.counter}`
      return `${runs}#${encodeURIComponent(`commit-${about.revision}`)}`
    }
    case 'run':
      return `/pipelines/${encodeURIComponent(about.pipeline)}#run-${about.counter}`
    case 'agent':
      return `/agents/${encodeURIComponent(about.uuid)}`
  }
}
