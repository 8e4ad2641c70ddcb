import type { AnswerOf } from '../../../client/call-types.ts'
import type { ServiceClient } from '../../../client/service-client.ts'
import { CallRefused } from '../../../client/client-errors.ts'
import { connect } from '../../client/connect.ts'
import { type PrintedLine, printJson, printLines } from '../../client/print.ts'
import { wholeNumberIn, readCommand, timeText } from '../../client/words.ts'

type Run = AnswerOf<'GET /api/pipelines/:name/history'>['pipelines'][number]

/** Lists the runs of a pipeline. */
export async function runs(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('runs', args, { least: 1, most: 1 })
  const { limit, json } = settings
  const found = await runsOf(await connect(settings), words[0] ?? '', limit)
  if (json) printJson(found)
  else printLines(found.map(lineOfRun))
  return 0
}

/** Compares a run with the last one that passed, or with another. */
export async function why(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('why', args, { least: 1, most: 2 })
  const { from, stage, json } = settings
  const [name = '', run] = words
  const client = await connect(settings)
  const to =
    run === undefined ? await newestRun(client, name) : wholeNumberIn(run, 'the number of a run')
  const { body } = await client.call('GET /api/pipelines/:name/compare/:from/:to', {
    params: { name, from: from ?? 'last-passed', to },
    query: { stage },
  })
  if (json) printJson(body)
  else printLines(linesOfComparison(name, body))
  return 0
}

/** The server answers a page at a time. */
async function runsOf(client: ServiceClient, name: string, limit: number): Promise<readonly Run[]> {
  const found: Run[] = []
  for (;;) {
    const { body } = await client.call('GET /api/pipelines/:name/history/:offset', {
      params: { name, offset: found.length },
    })
    found.push(...body.pipelines)
    const isAll = body.pipelines.length === 0 || found.length >= body.pagination.total
    if (isAll || found.length >= limit) return found.slice(0, limit)
  }
}

async function newestRun(client: ServiceClient, name: string): Promise<number> {
  const [newest] = await runsOf(client, name, 1)
  if (newest !== undefined) return newest.counter
  throw new CallRefused(404, { message: `The pipeline ${name} has no runs` })
}

function lineOfRun({ counter, label, scheduled_date: time, ...run }: Run): PrintedLine {
  const { build_cause: cause, configuration, stages } = run
  const revision = configuration?.number
  const results = stages.map((stage) => `${stage.name} ${stage.result}`)
  const facts = [
    label === String(counter) ? `${counter}` : `${counter} (${label})`,
    timeText(time),
    `by ${cause.approver}`,
    ...(typeof revision === 'number' ? [`r${revision}`] : []),
    results.join(', '),
  ]
  const isFailed = stages.some(({ result }) => result === 'Failed')
  return { text: facts.join('  '), isCut: true, ...(isFailed ? { colour: 'red' as const } : {}) }
}

function linesOfComparison(
  name: string,
  comparison: AnswerOf<'GET /api/pipelines/:name/compare/:from/:to'>,
): readonly (PrintedLine | string)[] {
  const { from, to, stage, causes, configuration } = comparison
  const of = stage === null ? '' : `, stage ${stage.name}`
  return [
    { text: `${name} ${from} to ${to}${of}`, colour: 'bold' },
    ...(causes.length === 0 ? ['Nothing that is known of changed between them'] : []),
    ...causes.map(({ text }, place) => `${place + 1}. ${text}`),
    ...(configuration.complete ? [] : ['Not all changes of the configuration are known']),
  ]
}
