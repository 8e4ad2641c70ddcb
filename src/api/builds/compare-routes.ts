import { z } from 'zod'
import { compareRuns, type RunComparison } from '../../builds/compare/compare-runs.ts'
import { json } from '../../http/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { RunComparisonBody } from '../../wire/run-comparison-body.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { reads } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import type { CauseSubject } from '../../builds/compare/causes.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import type { DatedChange } from '../../configuration/changes/changes-between.ts'

type Context = Pick<LeaderContext, 'builds' | 'site'>

const LAST_PASSED = 'last-passed'

const REVISION = {
  number: 12,
  commit: SAMPLE.commit,
  digest: SAMPLE.digest,
  username: 'admin',
  time: SAMPLE.time,
  message: '',
}

const COMPARISON: RunComparisonBody = {
  from: 1,
  to: 2,
  stage: { name: SAMPLE.stage, from: '1', to: '1' },
  causes: [
    {
      kind: 'configuration',
      text: `r12 by admin changed the pipeline ${SAMPLE.pipeline}: stage ${SAMPLE.stage} › job ${SAMPLE.job}: task make → make test`,
      link: `/config/entity/pipeline/${SAMPLE.pipeline}/compare/r11/r12`,
    },
  ],
  materials: [],
  upstream: [],
  configuration: {
    from: { ...SAMPLE.before, number: 11 },
    to: { digest: SAMPLE.digest, commit: SAMPLE.commit, number: 12 },
    changes: [
      {
        kind: 'changed',
        entity: `pipeline/${SAMPLE.pipeline}`,
        label: SAMPLE.pipeline,
        path: [`stage ${SAMPLE.stage}`, `job ${SAMPLE.job}`],
        subject: 'task',
        from: 'make',
        to: 'make test',
        text: `stage ${SAMPLE.stage} › job ${SAMPLE.job}: task make → make test`,
        revision: REVISION,
      },
    ],
    complete: true,
  },
  variables: [],
  agents: [],
}

const route = routeWith<Context>('Pipelines and stages')

/** `/api/pipelines/[name]/compare…`: the differences between two runs. */
export const compareResource = leaderResource({
  conditional: true,
  open: ({ builds, site }: LeaderContext): Context => ({ builds, site }),
  routes: [
    route({
      method: 'GET',
      path: '/api/pipelines/:name/compare/:from/:to',
      summary:
        'The differences between two runs of a pipeline, and the possible causes of a different result, most likely first',
      caller: 'viewer',
      tools: [{ name: 'why' }],
      parameters: {
        from: {
          text: 'The counter of the earlier run, or `last-passed` for the one whose stage had passed last',
          schema: z.string(),
          example: LAST_PASSED,
        },
        to: { text: 'The counter of the later run', schema: z.int(), example: '2' },
      },
      query: {
        stage: {
          text: 'The stage to compare; by default the first one that did not pass',
          schema: z.string(),
        },
      },
      answers: reads('The differences', RunComparisonBody),
      errors: ['malformed-request', 'pipeline-not-found', 'stage-not-found'],
      example: { answer: COMPARISON },
      handle: async (c, { builds, site }) => {
        const { name: pipeline, from, to } = c.req.param()
        const found = await compareRuns(builds, c.env.principal, {
          pipeline,
          from: from === LAST_PASSED ? from : parseWholeNumber(from, 'from'),
          to: parseWholeNumber(to, 'to'),
          stage: c.req.query('stage') ?? null,
        })
        return json(renderComparison(found, site.basePath))
      },
    }),
  ],
})

type ChangeBody = RunComparisonBody['configuration']['changes'][number]

function renderComparison(found: RunComparison, basePath: string): RunComparisonBody {
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
