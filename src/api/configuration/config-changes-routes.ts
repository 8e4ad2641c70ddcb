import { readChanges } from '../../configuration/changes/config-changes.ts'
import { unfinished } from '../../index/index-progress.ts'
import { ChangesAnswer } from '../../wire/changes.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { digestOf } from '../../core/digest.ts'
import { readEntityChanges } from '../../configuration/entities/compare-entity.ts'
import { ENTITY_QUERY, pairAnswers } from './pair-answers.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { reads } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

/** How many bytes of responses are kept. */
const CACHE_BYTES = 16 * 1_048_576

const route = routeWith<ReturnType<typeof changesAnswers>>()

/** `/api/config/changes…`: the differences between two revisions, in words. */
export const configChangesResource = resource({
  open: changesAnswers,
  routes: [
    route({
      method: 'GET',
      path: '/api/config/changes/:from/:to',
      tag: 'Configuration',
      summary: 'The changes between two revisions, in words',
      caller: 'administrator',
      query: ENTITY_QUERY,
      answers: reads('The changes', ChangesAnswer),
      errors: ['malformed-request', 'revision-not-found', 'entity-not-found', 'config-invalid'],
      example: {
        answer: {
          from: SAMPLE.before.commit,
          to: SAMPLE.commit,
          subject: 'Register agent builder-1',
          changes: [
            {
              kind: 'added',
              entity: `agent/${SAMPLE.agent}`,
              label: 'builder-1',
              path: [],
              subject: 'agent builder-1',
              after: { first: 16, last: 16 },
              text: 'add agent builder-1',
            },
          ],
        },
      },
      handle: (c, changes) => changes(c),
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
