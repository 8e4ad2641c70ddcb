import { expect, it } from 'vitest'
import { ErrorBody } from '../../src/wire/error-body.ts'
import { DescribedApi, type DescribedOperation } from '../support/service/described-api.ts'
import { openService } from '../support/service/service.ts'

/** A value in no form of any parameter. */
const WRONG = '!?'

interface WrongCall {
  readonly name: string
  readonly method: string
  readonly address: string
}

/** Some addresses have `pipeline-counter` in errors, and `pipelineCounter` in the description. */
function spelled(name: string): string {
  return name.replaceAll('-', '').toLowerCase()
}

/** Calls of an operation with one wrong parameter each; all others are those of its example. */
function wrongCalls({ method, path, parameters }: DescribedOperation): WrongCall[] {
  const named = parameters.filter((each) => each.in !== 'header')
  return named.map((wrong) => {
    const valueOf = ({ name, example = '1' }: (typeof named)[number]) =>
      encodeURIComponent(name === wrong.name ? WRONG : example)
    const address = named
      .filter((each) => each.in === 'path')
      .reduce((text, each) => text.replace(`{${each.name}}`, valueOf(each)), path)
    const query = named
      .filter((each) => each.in === 'query' && (each.required || each === wrong))
      .map((each) => `${each.name}=${valueOf(each)}`)
    return {
      name: wrong.name,
      method: method.toUpperCase(),
      address: `${address}?${query.join('&')}`,
    }
  })
}

it(
  'a parameter that is refused is named in the errors of the answer',
  { tags: ['long'] },
  async () => {
    const service = await openService()
    const { operations } = await DescribedApi.read(service)
    const calls = operations
      .filter(({ method, ...operation }) => method === 'get' && operation['x-page'] !== true)
      .flatMap(wrongCalls)

    const refused: string[] = []
    const unnamed: string[] = []
    for (const { name, method, address } of calls) {
      const answer = await service.fetch(address, { method })
      const text = await answer.text()
      if (answer.status !== 400) continue
      const { errors = [] } = ErrorBody.parse(JSON.parse(text))
      refused.push(`${address} ${name}`)
      if (!errors.some(({ path = '' }) => spelled(path) === spelled(name)))
        unnamed.push(`${address}: ${text}`)
    }

    expect(unnamed).toEqual([])
    expect(refused.length).toBeGreaterThan(30)
  },
)
