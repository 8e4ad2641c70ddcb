import { z } from 'zod'
import { readRevisionChanges } from '../../configuration/entities/read-revision-changes.ts'
import { blameLines } from '../../configuration/entities/blame-lines.ts'
import { parseEntityPlace } from '../../configuration/entities/read-entity.ts'
import { json } from '../../http/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { renderListed } from './listed-revision.ts'
import { readChanges } from '../../configuration/changes/config-changes.ts'
import { unfinished } from '../../index/index-progress.ts'
import { ChangesAnswer } from '../../wire/changes.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { digestOf } from '../../core/digest.ts'
import { readEntityChanges } from '../../configuration/entities/compare-entity.ts'
import { ENTITY_QUERY, pairAnswers } from './pair-answers.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { type Operation, reads } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import { BlameBody, RevisionChangesBody } from '../../wire/revision-bodies.ts'

const REVISION_PARAMETER = {
  revision: {
    text: 'The revision: `current`, `r` and its number, commit, digest, tag, or time',
    schema: z.string().min(1),
    example: 'current',
  },
} as const satisfies Operation['parameters']

const PAIR_PARAMETERS = {
  from: { ...REVISION_PARAMETER.revision, example: SAMPLE.before.commit },
  to: { ...REVISION_PARAMETER.revision, example: SAMPLE.commit },
} as const satisfies Operation['parameters']

/** How many bytes of responses are kept. */
const CACHE_BYTES = 16 * 1_048_576

interface ChangesState {
  readonly context: ApiContext
  readonly changes: ReturnType<typeof changesAnswers>
}

const route = routeWith<ChangesState>('Configuration')

/** `/api/config/changes…`: the differences between two revisions, in words. */
export const configChangesResource = resource({
  conditional: true,
  open: (context: ApiContext): ChangesState => ({ context, changes: changesAnswers(context) }),
  routes: [
    route({
      method: 'GET',
      path: '/api/config/changes/:from/:to',
      summary: 'The changes between two revisions, in words',
      parameters: PAIR_PARAMETERS,
      tools: [{ name: 'changes' }],
      caller: 'entityReader',
      query: ENTITY_QUERY,
      answers: reads('The changes', ChangesAnswer),
      errors: ['malformed-request', 'revision-not-found', 'entity-not-found', 'config-invalid'],
      handle: (c, { changes }) => changes(c),
    }),
    route({
      method: 'GET',
      path: '/api/config/changes/:revision',
      summary: 'One revision: its author, time and reason, and its changes in words',
      tools: [{ name: 'revision' }],
      caller: 'entityReader',
      parameters: REVISION_PARAMETER,
      query: ENTITY_QUERY,
      answers: reads('The revision', RevisionChangesBody),
      errors: ['malformed-request', 'revision-not-found', 'entity-not-found', 'config-invalid'],
      handle: async (c, { context }) => {
        const { configuration, site } = context
        const entity = c.req.query('entity')
        const { revision, subject, changes } = await readRevisionChanges(
          configuration,
          c.env.principal,
          {
            name: c.req.param('revision'),
            place: entity === undefined ? null : parseEntityPlace(entity),
          },
        )
        const listed = renderListed(configuration.history, revision, site.clientNames)
        return json({ revision: listed, subject, changes } satisfies RevisionChangesBody)
      },
    }),
    route({
      method: 'GET',
      path: '/api/config/blame/:revision',
      summary: 'The revisions that wrote the lines of a configuration, as `git blame`; no secrets',
      tools: [{ name: 'blame' }],
      caller: 'entityReader',
      parameters: REVISION_PARAMETER,
      query: {
        ...ENTITY_QUERY,
        first: { text: 'The first line, from 1', schema: z.int().min(1) },
        last: { text: 'The last line', schema: z.int().min(1) },
      },
      answers: reads('The lines, those that one revision wrote together', BlameBody),
      errors: [
        'malformed-request',
        'revision-not-found',
        'entity-not-found',
        'config-invalid',
        'unavailable',
      ],
      example: { query: { first: '5', last: '5' } },
      handle: async (c, { context }) => {
        const { configuration, site } = context
        const { entity, first, last } = c.req.query()
        const { revision, parts } = await blameLines(configuration, c.env.principal, {
          name: c.req.param('revision'),
          place: entity === undefined ? null : parseEntityPlace(entity),
          first: first === undefined ? null : parseWholeNumber(first, 'first'),
          last: last === undefined ? null : parseWholeNumber(last, 'last'),
        })
        const listed = renderListed(configuration.history, revision, site.clientNames)
        const body = {
          revision: listed,
          parts: parts.map(({ writer, ...part }) => {
            const { number, commitSHA, username, time, subject } = renderListed(
              configuration.history,
              writer,
              'neutral',
            )
            return { ...part, revision: { number, commitSHA, username, time, subject } }
          }),
        } satisfies BlameBody
        return json(body)
      },
    }),
  ],
})

function changesAnswers({ configuration }: ApiContext) {
  /** Renames between two revisions may be found until all between are indexed. */
  const stateOf = () => {
    const indexing = unfinished(configuration.entities.progress())
    return indexing === null ? '' : ` ${indexing.indexed}`
  }
  return pairAnswers(configuration, CACHE_BYTES, {
    stateOf,
    whole: async (range, pair) => {
      const { isFinal, ...described } = await readChanges(configuration, pair)
      const etag = `changes-${range.from}..${range.to}${isFinal ? '' : stateOf()}`
      return rendered({ ...range, ...described }, { etag, immutable: isFinal })
    },
    narrowed: async (range, principal, place) => {
      const changes = await readEntityChanges(configuration, principal, { ...range, place })
      const answer = { ...range, ...changes }
      const etag = `changes-${digestOf(Buffer.from(JSON.stringify(answer)))}`
      return rendered(answer, { etag, immutable: false })
    },
  })
}

function rendered(
  answer: ChangesAnswer,
  kept: { readonly etag: string; readonly immutable: boolean },
): CachedResponse {
  const type = 'application/json; charset=utf-8'
  return new CachedResponse(Buffer.from(JSON.stringify(answer)), { type, ...kept })
}
