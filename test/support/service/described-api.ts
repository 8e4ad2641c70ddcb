import { Ajv2020 } from 'ajv/dist/2020.js'
import { z } from 'zod'
import type { CalledService } from './service.ts'

const Schema = z.record(z.string(), z.unknown())
export type Schema = z.infer<typeof Schema>
const Contents = z.record(
  z.string(),
  z.object({ schema: Schema.optional(), example: z.unknown().optional() }),
)
const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  description: z.string().optional(),
  schema: Schema,
  example: z.string().optional(),
})
const Operation = z
  .object({
    operationId: z.string(),
    summary: z.string(),
    description: z.string().optional(),
    security: z.array(Schema),
    parameters: z.array(Parameter),
    requestBody: z.object({ required: z.boolean(), content: Contents }).optional(),
    responses: z.record(
      z.string(),
      z.object({ description: z.string(), content: Contents.optional() }),
    ),
  })
  .loose()
const Document = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema) }).loose(),
})

/** One call as the service describes it. */
export interface DescribedOperation extends z.infer<typeof Operation> {
  readonly method: string
  readonly path: string
}

/** The interface that a service describes, read back from it. */
export class DescribedApi {
  readonly operations: readonly DescribedOperation[]
  readonly #ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    formats: { ipv4: true, ipv6: true },
  })

  private constructor(text: string) {
    const document = Document.parse(JSON.parse(text))
    this.#ajv.addSchema(Schema.parse(JSON.parse(text)), 'api')
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
    )
  }

  static async read(service: Pick<CalledService, 'fetch'>): Promise<DescribedApi> {
    return new DescribedApi(await (await service.fetch('/api/openapi.json')).text())
  }

  /** Faults of an answer according to the description; none when it is as described. */
  async faultsOf(operation: DescribedOperation, response: Response): Promise<string[]> {
    const { status } = response
    const key = [String(status), `${Math.floor(status / 100)}XX`].find((name) =>
      Object.hasOwn(operation.responses, name),
    )
    const bytes = await response.text()
    if (key === undefined) return [`the status ${status} is not described: ${bytes.slice(0, 200)}`]
    const content = operation.responses[key]?.content
    if (!content) return bytes === '' || key === '3XX' ? [] : [`${status} has a body`]
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
    const found = [type, '*/*'].find((name) => Object.hasOwn(content, name))
    if (found === undefined) return [`${status} has the content type "${type}"`]
    if (!content[found]?.schema) return []
    return this.#faultsOfValue(operation, ['responses', key, 'content', found], JSON.parse(bytes))
  }

  /** Faults of the examples of bodies and answers, according to the description itself. */
  faultsOfExamples(operation: DescribedOperation): string[] {
    const answers = Object.entries(operation.responses)
    return [
      ...this.#faultsOfContent(operation, ['requestBody'], operation.requestBody?.content),
      ...answers.flatMap(([status, { content }]) =>
        this.#faultsOfContent(operation, ['responses', status], content),
      ),
    ]
  }

  #faultsOfContent(
    operation: DescribedOperation,
    place: readonly string[],
    content: z.infer<typeof Contents> = {},
  ): string[] {
    return Object.entries(content).flatMap(([type, { schema, example }]) => {
      if (example === undefined || !schema) return []
      return this.#faultsOfValue(operation, [...place, 'content', type], example)
    })
  }

  #faultsOfValue(
    { path, method }: DescribedOperation,
    place: readonly string[],
    value: unknown,
  ): string[] {
    const pointer = ['paths', path, method, ...place, 'schema']
      .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const validate = this.#ajv.getSchema(`api#/${pointer}`)
    if (!validate) return [`there is no schema at ${pointer}`]
    if (validate(value)) return []
    const wrong = this.#ajv.errorsText(validate.errors ?? null)
    return [`${place.join(' ')}: ${wrong} in ${JSON.stringify(value).slice(0, 300)}`]
  }
}
