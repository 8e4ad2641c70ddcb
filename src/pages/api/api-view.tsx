import { z } from 'zod'
import type { DescribedCall } from '../../api/description/described-call.ts'
import { type Answer, CALLERS, type Parameter } from '../../api/definition/operation.ts'
import { type PageFrame, PageLayout } from '../frame/layout.tsx'

interface ApiViewProps {
  readonly frame: PageFrame
  readonly calls: readonly DescribedCall[]
}

/** Every call of the interface with its parameters and answers. */
export function ApiView({ frame, calls }: ApiViewProps) {
  const tags = [...new Set(calls.map(({ operation }) => operation.tag))]
  return (
    <PageLayout frame={frame} title="Interface" styles={['api.css']}>
      <h1>Interface</h1>
      <p>
        Every call of this service, for programs also as{' '}
        <a href={frame.links.openApi()}>an OpenAPI 3.1 document</a>.
      </p>
      <nav class="api-tags" aria-label="Kinds of calls">
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
              <Call call={call} />
            ))}
        </section>
      ))}
    </PageLayout>
  )
}

function Call({ call: { method, path, operation, parameters, answers } }: { call: DescribedCall }) {
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
        <span>{summary}</span>
      </summary>
      <p class="muted">{CALLERS[caller].text}</p>
      {taken.length > 0 && <Parameters taken={taken} />}
      {body && (
        <p>
          {body.required ? 'Body: ' : 'Body, not needed: '}
          {body.content.map(({ type, schema }, n) => (
            <>
              {n > 0 && ', or '}
              <code>{type}</code> {n === 0 && schema && <code>{shapeOf(schema)}</code>}
            </>
          ))}
        </p>
      )}
      <Answers answers={answers} />
    </details>
  )
}

interface Taken {
  readonly place: string
  readonly name: string
  readonly parameter: Parameter
}

function Parameters({ taken }: { taken: readonly Taken[] }) {
  return (
    <table>
      <caption>Parameters</caption>
      <tbody>
        {taken.map(({ place, name, parameter }) => (
          <tr>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{place}</td>
            <td>
              {parameter.text} {parameter.required && '(needed)'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Answers({ answers }: { answers: DescribedCall['answers'] }) {
  return (
    <table>
      <caption>Answers</caption>
      <tbody>
        {answers.map(([status, answer]) => (
          <tr>
            <th scope="row">{status}</th>
            <td>{answer.text}</td>
            <td>{status === 200 || status === 201 || status === 202 ? formOf(answer) : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function formOf({ content = [] }: Answer) {
  return content.map(({ type, schema }) => (
    <>
      <code>{type}</code> {schema && <code>{shapeOf(schema)}</code>}{' '}
    </>
  ))
}

/** The shape of a schema in short form: `{ a, b?: [{ c }] }`. */
function shapeOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries(schema.shape).map(([key, value]) => shapeOfKey(key, value))
    return `{ ${entries.join(', ')} }`
  }
  if (schema instanceof z.ZodArray) return `[${inner(schema.element)}]`
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return inner(schema.unwrap())
  if (schema instanceof z.ZodReadonly) return inner(schema.unwrap())
  return ''
}

function shapeOfKey(key: string, value: unknown): string {
  const mark = value instanceof z.ZodOptional ? '?' : ''
  const shape = inner(value)
  return shape === '' ? `${key}${mark}` : `${key}${mark}: ${shape}`
}

function inner(value: unknown): string {
  return value instanceof z.ZodType ? shapeOf(value) : ''
}

function anchorOf(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z]+/g, '-')
}
