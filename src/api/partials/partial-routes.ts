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

/** The last part of a short address, of which the end is no part of the name. */
const FILE = '[^/]+\\.xml'

const JOB = `<job name="${SAMPLE.job}" />`
const STAGE = `<stage name="${SAMPLE.stage}"><jobs>${JOB}</jobs></stage>`
const MATERIALS = `<materials><git url="https://example.org/${SAMPLE.pipeline}.git" /></materials>`
const PIPELINE = `<pipeline name="${SAMPLE.pipeline}">${MATERIALS}${STAGE}</pipeline>`

const EXAMPLES = { pipelineGroup: SAMPLE.group, pipelineName: SAMPLE.pipeline }

/** A value that names the part, by its name in queries and forms. */
type Named = (name: string) => string | undefined

/** The parts by their words in addresses, with the texts that clients of the original read. */
const PARTS = {
  group: {
    file: `:pipelineGroup{${FILE}}`,
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
    file: `:pipelineGroup/:pipelineIndex{${FILE}}`,
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
    file: `:pipelineGroup/:pipelineName/:stageIndex{${FILE}}`,
    what: 'A stage by its position in its pipeline, counted from 0',
    names: { pipelineName: SAMPLE.pipeline, stageIndex: '0' },
    xml: STAGE,
    saved: 'Stage changed successfully.',
    placeOf: (value: Named, within?: string): PartialPlace => ({
      kind: 'stage',
      within,
      pipeline: needed(value, 'pipelineName'),
      index: position(value, 'stageIndex'),
    }),
  },
  build: {
    file: `:pipelineGroup/:pipelineName/:stageName/:buildIndex{${FILE}}`,
    what: 'A job by its position in its stage, counted from 0',
    names: { pipelineName: SAMPLE.pipeline, stageName: SAMPLE.stage, buildIndex: '0' },
    xml: JOB,
    saved: 'JobConfig changed successfully.',
    placeOf: (value: Named, within?: string): PartialPlace => ({
      kind: 'job',
      within,
      pipeline: needed(value, 'pipelineName'),
      stage: needed(value, 'stageName'),
      index: position(value, 'buildIndex'),
    }),
  },
} as const

type Part = (typeof PARTS)[keyof typeof PARTS]

/** An address of a part: names in the path, or in the query and the form. */
interface PartAddress {
  readonly path: string
  readonly isShort: boolean
}

const ROOT = '/admin/restful/configuration'
const SHORT_ROOT = '/admin/configuration'

const route = routeWith<ApiContext>('Configuration')

/**
 * Parts of the document by the addresses of the original: `/admin/restful/configuration/stage/GET/xml` and so on,
 * and `/admin/configuration/GROUP/PIPELINE/0.xml` for both methods.
 */
export const partialResource = resource({
  open: (context: ApiContext) => context,
  routes: Object.entries(PARTS).flatMap(([word, part]) => {
    const short = { path: `${SHORT_ROOT}/${part.file}`, isShort: true }
    return [
      reading({ path: `${ROOT}/${word}/GET/xml`, isShort: false }, part),
      saving({ path: `${ROOT}/${word}/POST/xml`, isShort: false }, part),
      reading(short, part),
      saving(short, part),
    ]
  }),
})

function reading({ path, isShort }: PartAddress, part: Part) {
  const names = isShort ? {} : part.names
  return route({
    method: 'GET',
    path,
    summary: `${part.what}: its XML, byte for byte`,
    caller: 'groupAdministrator',
    parameters: parametersOf(part),
    query: {
      ...Object.fromEntries(
        Object.keys(names).map((name) => [name, { ...named(z.string()), required: true }]),
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
    example: { query: names, answer: part.xml },
    handle: async (c, { configuration, site }) => {
      const place = placeIn(c, part, (name) => c.req.query(name))
      const read = await readPartial(configuration, c.env.principal, place)
      const asked = c.req.query('md5')
      if (asked !== undefined && asked.toLowerCase() !== read.revision.digest) {
        return notCurrent(asked, read.revision, site.clientNames)
      }
      return elementResponse(read, site.clientNames).answer(c)
    },
  })
}

function saving({ path, isShort }: PartAddress, part: Part) {
  const names = isShort ? {} : part.names
  const fields = z.strictObject({
    ...Object.fromEntries(Object.keys(names).map((name) => [name, z.string().optional()])),
    xmlPartial: z.string(),
    md5: z.string(),
    message: z.string().optional(),
  })
  return route({
    method: 'POST',
    path,
    summary: `Replaces a part of the configuration: ${part.what.toLowerCase()}`,
    caller: 'groupAdministrator',
    audit: 'save-configuration',
    parameters: parametersOf(part),
    query: Object.fromEntries(
      Object.keys(names).map((name) => [name, named(z.string().optional())]),
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
      body: { ...names, xmlPartial: part.xml, md5: SAMPLE.digest },
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
  const place = placeIn(c, part, (name) => textField(form, name) ?? c.req.query(name))
  const basedOn = parseDigest(md5.trim(), 'md5')
  const edit = { place, xml, basedOn, message: messageOf(c.req.raw, form) }
  return answerAsForm(c, Buffer.from(xml), async () => {
    const { revision, setAside } = await savePartial(configuration, c.env.principal, edit)
    const isTemplates = place.kind === 'group' && place.group === TEMPLATES_GROUP
    const result = isTemplates ? 'Template changed successfully.' : part.saved
    const body = { result, ...(setAside !== null && { setAside }) }
    return json(body, 200, digestHeaders(revision.digest, site.clientNames))
  })
}

/** The part that a request names, in its path first. */
function placeIn(c: Context<RouteEnv>, part: Part, otherwise: Named): PartialPlace {
  const inPath = (name: string): string | undefined => {
    const text: string | undefined = c.req.param(name)
    return part.file.includes(`:${name}{`) ? text?.slice(0, -'.xml'.length) : text
  }
  return part.placeOf((name) => inPath(name) ?? otherwise(name), inPath('pipelineGroup'))
}

function parametersOf({ names }: Part) {
  return Object.fromEntries(
    Object.entries({ ...EXAMPLES, ...names }).map(([name, example]) => [
      name,
      { ...named(z.string()), example },
    ]),
  )
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
