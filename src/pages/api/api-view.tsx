import { z } from 'zod'
import type { DescribedCall } from '../../api/description/described-call.ts'
import type { ExampleBody } from '../../api/description/example.ts'
import { type Answer, CALLERS, JSON_TYPE, type Parameter } from '../../api/definition/operation.ts'
import { shellWord } from '../../core/service/command-words.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { FactTable } from '../kit/table.tsx'

interface ApiViewProps {
  readonly frame: PageFrame
  readonly calls: readonly DescribedCall[]
  /** The address of the service with its base path. */
  readonly origin: string
}

/** Every call of the interface with its parameters, bodies, answers, and a line to try it. */
export function ApiView({ frame, calls, origin }: ApiViewProps) {
  const tags = [...new Set(calls.map(({ operation }) => operation.tag))]
  const place = { origin, username: frame.username }
  return (
    <PageLayout frame={frame} title="API" styles={['api.css']}>
      <PageHead
        title="API"
        about={
          <>
            Every API call, also as <a href={frame.links.openApi()}>an OpenAPI 3.1 document</a>.
            {frame.isAdministrator && (
              <span id="clone">
                {' The configuration itself is a git repository: '}
                <code>{`git clone ${origin}${frame.links.repository()}`}</code>
              </span>
            )}
          </>
        }
      />
      <nav class="row api-tags" aria-label="Kinds of calls">
        {tags.map((tag) => (
          <a href={`#${anchorOf(tag)}`}>{tag}</a>
        ))}
      </nav>
      {tags.map((tag) => (
        <section aria-labelledby={anchorOf(tag)}>
          <h2 id={anchorOf(tag)}>{tag}</h2>
          {calls
            .filter(({ operation }) => operation.tag === tag)
            .map((call) => (
              <Call call={call} curl={curlLine(call, place)} />
            ))}
        </section>
      ))}
    </PageLayout>
  )
}

function Call({ call, curl }: { call: DescribedCall; curl: string | null }) {
  const { method, path, operation, parameters, answers, example } = call
  const { summary, caller, query = {}, headers = {}, body } = operation
  const taken = [
    ...parameters.map(([name, parameter]) => ({ place: 'path', name, parameter })),
    ...Object.entries(query).map(([name, parameter]) => ({ place: 'query', name, parameter })),
    ...Object.entries(headers).map(([name, parameter]) => ({ place: 'header', name, parameter })),
  ]
  return (
    <details class="card api-call">
      <summary>
        <code>
          <b>{method}</b> {path}
        </code>
        <span>
          <Prose text={summary} />
        </span>
      </summary>
      <p class="muted">
        <Prose text={CALLERS[caller].text} />
      </p>
      {curl !== null && (
        <div class="try-it">
          <b>Try it</b>
          <button
            type="button"
            class="copy with-script"
            aria-label={`Copy the command for ${method} ${path}`}
          >
            Copy
          </button>
          <pre>
            <code>{curl}</code>
          </pre>
        </div>
      )}
      {taken.length > 0 && <Parameters taken={taken} />}
      {body && <Bodies body={body} />}
      <Answers answers={answers} />
      {example?.answer != null && (
        <div>
          <b>{`Example of the answer ${example.answer.status}`}</b>
          <pre>
            <code>{shownBody(example.answer)}</code>
          </pre>
        </div>
      )}
    </details>
  )
}

function Bodies({ body }: { body: NonNullable<DescribedCall['operation']['body']> }) {
  const rows = body.content.map(({ type, schema }) => [
    <code>{type}</code>,
    schema === null ? 'bytes' : <code>{shapeOf(schema)}</code>,
  ])
  return <FactTable caption={body.required ? 'Body' : 'Body (optional)'} rows={rows} />
}

function shownBody({ type, value, text }: ExampleBody): string {
  return type === JSON_TYPE ? JSON.stringify(value, null, 2) : text
}

/** A text in which backticks mark code. */
function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, n) => (n % 2 === 1 ? <code>{part}</code> : <>{part}</>))}</>
}

interface Taken {
  readonly place: string
  readonly name: string
  readonly parameter: Parameter
}

function Parameters({ taken }: { taken: readonly Taken[] }) {
  const rows = taken.map(({ place, name, parameter }) => [
    <code>{name}</code>,
    place,
    <>
      <Prose text={parameter.text} /> {parameter.required && '(required)'}
    </>,
  ])
  return <FactTable caption="Parameters" rows={rows} />
}

function Answers({ answers }: { answers: DescribedCall['answers'] }) {
  const rows = answers.map(([status, answer]) => [
    status,
    <>
      <Prose text={answer.text} />
      {(status === 200 || status === 201 || status === 202) && formOf(answer)}
    </>,
  ])
  return <FactTable caption="Answers" rows={rows} />
}

function formOf({ content = [] }: Answer) {
  return content.map(({ type, schema }) => (
    <p>
      <code>{type}</code> {schema && <code>{shapeOf(schema)}</code>}
    </p>
  ))
}

/** The shape of a schema in short form: `{ a: string, b?: [{ c: number }] }`. */
function shapeOf(schema: unknown): string {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries(schema.shape).map(([key, value]) => {
      return `${key}${isOptional(value) ? '?' : ''}: ${shapeOf(value)}`
    })
    return `{ ${entries.join(', ')} }`
  }
  if (schema instanceof z.ZodArray) return `[${shapeOf(schema.element)}]`
  if (schema instanceof z.ZodNullable) return `${shapeOf(schema.unwrap())} | null`
  if (isOptional(schema) || schema instanceof z.ZodReadonly) return shapeOf(schema.unwrap())
  if (schema instanceof z.ZodUnion) return schema.options.map(shapeOf).join(' | ')
  if (schema instanceof z.ZodEnum) return schema.options.join(' | ')
  if (schema instanceof z.ZodLiteral) return [...schema.values].join(' | ')
  if (schema instanceof z.ZodRecord) return `{ name: ${shapeOf(schema.valueType)} }`
  if (schema instanceof z.ZodNumber) return 'number'
  if (schema instanceof z.ZodBoolean) return 'true | false'
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in)
  return schema instanceof z.ZodString ? 'string' : 'any'
}

function isOptional(schema: unknown): schema is z.ZodOptional | z.ZodExactOptional {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional
}

function anchorOf(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z]+/g, '-')
}

interface CurlPlace {
  /** The address of the service with its base path. */
  readonly origin: string
  readonly username: string
}

/**
 * The example of a call as a line for a shell; null where there is none. curl asks for the
 * password, and the token of an agent is a variable.
 */
function curlLine(
  { method, operation, example }: DescribedCall,
  { origin, username }: CurlPlace,
): string | null {
  if (example === null) return null
  const { scheme } = CALLERS[operation.caller]
  const { target, headers, body } = example
  const isUsual = method === (body === null ? 'GET' : 'POST')
  return [
    'curl',
    ...(scheme === 'user' || scheme === 'both' ? ['-u', shellWord(username)] : []),
    ...(scheme === 'agent' ? ['-H', '"Authorization: Bearer $TOKEN"'] : []),
    ...(isUsual ? [] : ['-X', method]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', shellWord(`${name}: ${value}`)]),
    ...(body === null ? [] : ['--data-binary', shellWord(body.text)]),
    shellWord(`${origin}${target}`),
  ].join(' ')
}
