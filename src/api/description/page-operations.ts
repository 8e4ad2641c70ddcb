import { z } from 'zod'
import { RevisionEntry } from '../../wire/revision-entry.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { jsonAnswer, NOT_MODIFIED, type Operations, reads } from '../definition/operation.ts'
import { SAMPLE, SAMPLE_REVISION } from '../definition/sample.ts'

const tag = 'Service'
const PAGES = 'Pages'

const SearchGroupBody = z.object({
  title: z.string(),
  count: z.int().nonnegative(),
  hits: z.array(z.object({ title: z.string(), detail: z.string(), href: z.string() })),
  all: z.string().nullable(),
})

/** Answers that are no pages, but are loaded with them. */
export const PAGE_OPERATIONS: Operations = {
  'GET /api/openapi.json': {
    tag,
    summary: 'This description',
    caller: 'user',
    answers: reads('OpenAPI 3.1', z.object({ openapi: z.string() }).loose()),
    example: { answer: { openapi: '3.1.0', info: { title: 'Cairn', version: '0.1.0' } } },
  },
  'GET /api': {
    tag,
    summary: 'This page',
    caller: 'user',
    answers: {
      200: { text: 'A page', content: [{ type: 'text/html', schema: null }] },
      304: NOT_MODIFIED,
    },
    example: {},
  },
  'GET /assets/:name': {
    tag: PAGES,
    summary: 'Files that pages load',
    caller: 'anybody',
    parameters: {
      name: {
        text: 'As pages name it',
        schema: z.string().min(1),
        example: 'base-0123456789ab.css',
      },
    },
    answers: {
      200: { text: 'The file', content: [{ type: '*/*', schema: null }] },
      304: NOT_MODIFIED,
      404: jsonAnswer('There is none', ErrorBody),
    },
    example: {},
  },
  'GET /config/feed.atom': {
    tag: PAGES,
    summary: 'The newest revisions as a feed; filters as on the page',
    caller: 'administrator',
    answers: {
      200: { text: 'Atom', content: [{ type: 'application/atom+xml', schema: null }] },
    },
    errors: ['malformed-request', 'unavailable'],
    example: {},
  },
  'GET /config/feed.json': {
    tag: PAGES,
    summary: 'The newest revisions as JSON; filters as on the page',
    caller: 'administrator',
    answers: {
      200: jsonAnswer(
        'Revisions',
        z.array(RevisionEntry.extend({ number: z.int(), kind: z.string(), subject: z.string() })),
      ),
    },
    errors: ['malformed-request', 'unavailable'],
    example: {
      answer: [{ ...SAMPLE_REVISION, number: 2, kind: 'person', subject: 'Add pipeline hello' }],
    },
  },
  'GET /search/results.json': {
    tag: PAGES,
    summary: 'Search results by kind, as far as the caller may see them',
    caller: 'user',
    query: { q: { text: 'The text', schema: z.string().max(1_000) } },
    answers: {
      200: jsonAnswer(
        'The first of each sort',
        z.object({
          groups: z.array(SearchGroupBody),
          indexing: z.string().nullable(),
          away: z.string().nullable(),
        }),
      ),
    },
    errors: ['malformed-request'],
    example: {
      query: { q: SAMPLE.pipeline },
      answer: {
        groups: [
          {
            title: 'Pipelines',
            count: 1,
            hits: [
              {
                title: SAMPLE.pipeline,
                detail: 'in services',
                href: `/pipelines/${SAMPLE.pipeline}`,
              },
            ],
            all: `/pipelines?q=${SAMPLE.pipeline}`,
          },
        ],
        indexing: null,
        away: null,
      },
    },
  },
  'POST /config/edit/check': {
    tag: PAGES,
    summary: 'The problems of a text that is being edited',
    caller: 'administrator',
    body: {
      required: true,
      content: [
        {
          type: 'application/x-www-form-urlencoded',
          schema: z.object({ xml: z.string(), basedOn: z.string(), entity: z.string().optional() }),
        },
      ],
    },
    answers: { 200: jsonAnswer('Problems', z.object({ problems: z.array(z.unknown()) }).loose()) },
    errors: ['malformed-request', 'body-too-large', 'entity-not-found', 'config-stale'],
    example: {
      body: { xml: SAMPLE.document, basedOn: SAMPLE.digest },
      answer: { problems: [] },
    },
  },
  'GET /config/compare/:from/:file{.+\\.patch}': {
    tag: PAGES,
    summary: 'The difference of two revisions as a patch for git',
    caller: 'administrator',
    rename: { file: 'to' },
    answers: {
      200: { text: 'A patch', content: [{ type: 'text/x-patch', schema: null }] },
      304: NOT_MODIFIED,
    },
    errors: ['malformed-request', 'revision-not-found'],
    example: {
      answer: `diff --git a/config.xml b/config.xml\n--- a/config.xml\n+++ b/config.xml\n${SAMPLE.diff}`,
    },
  },
  'GET /config/entity/:kind/:name/compare/:from/:file{.+\\.patch}': {
    tag: PAGES,
    summary: 'The difference of one entity between two revisions as a patch for git',
    caller: 'administrator',
    rename: { file: 'to' },
    parameters: {
      kind: {
        text: 'Such as `pipeline`, `group`, `template`, `environment`, `role` or `agent`',
        schema: z.string().min(1),
        example: 'pipeline',
      },
      name: { text: 'Its name', schema: z.string().min(1), example: SAMPLE.pipeline },
    },
    answers: {
      200: { text: 'A patch', content: [{ type: 'text/x-patch', schema: null }] },
      304: NOT_MODIFIED,
    },
    errors: ['malformed-request', 'revision-not-found', 'entity-not-found', 'unavailable'],
    example: {
      answer: `diff --git a/config.xml b/config.xml\n--- a/config.xml\n+++ b/config.xml\n${SAMPLE.diff}`,
    },
  },
}
