import type { Context } from 'hono'
import { z } from 'zod'
import {
  type PartialPlace,
  readPartial,
  savePartial,
  TEMPLATES_GROUP,
} from '../../configuration/entities/partials.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { RefusedFormBody, SavedFormBody } from '../../wire/action-bodies.ts'
import { messageOf } from '../../http/change-message.ts'
import { json } from '../../http/errors.ts'
import { malformed, parseDigest, parseWholeNumber } from '../../http/parameters.ts'
import { assertKnownFields, readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { notCurrent } from '../configuration/config-routes.ts'
import { answerAsForm } from '../configuration/config-saving-routes.ts'
import { DIGEST_DESCRIBED, digestHeaders } from '../configuration/digest-header.ts'
import { elementResponse } from '../configuration/entity-routes.ts'
import type { ApiContext } from '../definition/api-context.ts'
import {
  CACHE_HEADERS,
  fieldsBody,
  FORM_TYPE,
  jsonAnswer,
  MESSAGE_HEADER,
  NOT_MODIFIED,
} from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const JOB = `<job name="${SAMPLE.job}" />`
const STAGE = `<stage name="${SAMPLE.stage}"><jobs>${JOB}</jobs></stage>`
const MATERIALS = `<materials><git url="https://example.org/${SAMPLE.pipeline}.git" /></materials>`
const PIPELINE = `<pipeline name="${SAMPLE.pipeline}">${MATERIALS}${STAGE}</pipeline>`

/** A value that names the part, by its name in queries and forms. */
type Named = (name: string) => string | undefined

/** The parts by their words in addresses, with the texts that clients of the original read. */
const PARTS = {
  group: {
    what: 'A group with its pipelines, or all templates as the group `Pipeline Templates`',
    names: { pipelineGroup: SAMPLE.group },
    xml: `<pipelines group="${SAMPLE.group}">${PIPELINE}</pipelines>`,
    saved: 'Group changed successfully.',
    placeOf: (value: Named): PartialPlace => ({
      kind: 'group',
      group: needed(value, 'pipelineGroup'),
    }),
  },
  pipeline: {
    what: 'A pipeline by its position in its group, counted from 0',
    names: { pipelineGroup: SAMPLE.group, pipelineIndex: '0' },
    xml: PIPELINE,
    saved: 'Pipeline changed successfully.',
    placeOf: (value: Named): PartialPlace => ({
      kind: 'pipeline',
      group: needed(value, 'pipelineGroup'),
      index: position(value, 'pipelineIndex'),
    }),
  },
  stage: {
    what: 'A stage by its position in its pipeline, counted from 0',
    names: { pipelineName: SAMPLE.pipeline, stageIndex: '0' },
    xml: STAGE,
    saved: 'Stage changed successfully.',
    placeOf: (value: Named): PartialPlace => ({
      kind: 'stage',
      pipeline: needed(value, 'pipelineName'),
      index: position(value, 'stageIndex'),
    }),
  },
  build: {
    what: 'A job by its position in its stage, counted from 0',
    names: { pipelineName: SAMPLE.pipeline, stageName: SAMPLE.stage, buildIndex: '0' },
    xml: JOB,
    saved: 'JobConfig changed successfully.',
    placeOf: (value: Named): PartialPlace => ({
      kind: 'job',
      pipeline: needed(value, 'pipelineName'),
      stage: needed(value, 'stageName'),
      index: position(value, 'buildIndex'),
    }),
  },
} as const

type Part = (typeof PARTS)[keyof typeof PARTS]

const ROOT = '/admin/restful/configuration'

const route = routeWith<ApiContext>('Configuration')

/** Parts of the document by the addresses of the original: `/admin/restful/configuration/stage/GET/xml` and so on. */
export const partialResource = resource({
  open: (context: ApiContext) => context,
  routes: Object.entries(PARTS).flatMap(([word, part]) => [
    reading(word, part),
    saving(word, part),
  ]),
})

function reading(word: string, part: Part) {
  return route({
    method: 'GET',
    path: `${ROOT}/${word}/GET/xml`,
    summary: `${part.what}: its XML, byte for byte`,
    caller: 'groupAdministrator',
    query: {
      ...Object.fromEntries(
        Object.keys(part.names).map((name) => [name, { ...named(z.string()), required: true }]),
      ),
      md5: { text: 'The digest that the caller considers current', schema: z.string().optional() },
    },
    answers: {
      200: {
        text: 'The element, byte for byte',
        content: [{ type: 'application/xml', schema: null }],
        headers: { ...DIGEST_DESCRIBED, ...CACHE_HEADERS },
      },
      304: NOT_MODIFIED,
      409: jsonAnswer('`md5` is not the current digest', ErrorBody, DIGEST_DESCRIBED),
    },
    errors: ['malformed-request', 'entity-not-found', 'config-invalid'],
    example: { query: part.names, answer: part.xml },
    handle: async (c, { configuration, site }) => {
      const place = part.placeOf((name) => c.req.query(name))
      const read = await readPartial(configuration, c.env.principal, place)
      const asked = c.req.query('md5')
      if (asked !== undefined && asked.toLowerCase() !== read.revision.digest) {
        return notCurrent(asked, read.revision, site.clientNames)
      }
      return elementResponse(read, site.clientNames).answer(c)
    },
  })
}

function saving(word: string, part: Part) {
  const fields = z.strictObject({
    ...Object.fromEntries(Object.keys(part.names).map((name) => [name, z.string().optional()])),
    xmlPartial: z.string(),
    md5: z.string(),
    message: z.string().optional(),
  })
  return route({
    method: 'POST',
    path: `${ROOT}/${word}/POST/xml`,
    summary: `Replaces a part of the configuration: ${part.what.toLowerCase()}`,
    caller: 'groupAdministrator',
    audit: 'save-configuration',
    query: Object.fromEntries(
      Object.keys(part.names).map((name) => [name, named(z.string().optional())]),
    ),
    headers: MESSAGE_HEADER,
    body: fieldsBody(fields, { types: [FORM_TYPE, 'multipart/form-data'] }),
    answers: {
      200: jsonAnswer('Saved', SavedFormBody, DIGEST_DESCRIBED),
      404: jsonAnswer('There is no such part', RefusedFormBody),
      409: jsonAnswer('Not valid, or changed by another user in the same place', RefusedFormBody),
    },
    errors: ['malformed-request', 'body-too-large'],
    example: {
      body: { ...part.names, xmlPartial: part.xml, md5: SAMPLE.digest },
      answer: { result: part.saved },
    },
    handle: (c, context) => save(c, context, part, fields),
  })
}

async function save(
  c: Context<RouteEnv>,
  { configuration, site }: ApiContext,
  part: Part,
  fields: z.ZodObject,
): Promise<Response> {
  const form = await readForm(c.req.raw, site.maxBody)
  assertKnownFields(form, fields)
  const xml = textField(form, 'xmlPartial')
  const md5 = textField(form, 'md5')
  if (xml === null) throw malformed('The field xmlPartial is missing', 'xmlPartial')
  if (md5 === null) throw malformed('The field md5 is missing', 'md5')
  const place = part.placeOf((name) => textField(form, name) ?? c.req.query(name))
  const basedOn = parseDigest(md5.trim())
  const edit = { place, xml, basedOn, message: messageOf(c.req.raw, form) }
  return answerAsForm(c, Buffer.from(xml), async () => {
    const { revision, setAside } = await savePartial(configuration, c.env.principal, edit)
    const isTemplates = place.kind === 'group' && place.group === TEMPLATES_GROUP
    const result = isTemplates ? 'Template changed successfully.' : part.saved
    const body = { result, ...(setAside !== null && { setAside }) }
    return json(body, 200, digestHeaders(revision.digest, site.clientNames))
  })
}

function named<Schema extends z.ZodType>(schema: Schema) {
  return { text: 'Names the part', schema }
}

function needed(value: Named, name: string): string {
  const text = value(name)
  if (text === undefined || text === '') throw malformed(`${name} is missing`, name)
  return text
}

function position(value: Named, name: string): number {
  return parseWholeNumber(needed(value, name), name)
}
