import type { AnswerOf } from '../../../client/call-types.ts'
import type { CallAnswer, ServiceClient } from '../../../client/service-client.ts'
import { SettingsError } from '../../../settings/settings-error.ts'
import { connect } from '../../client/connect.ts'
import { fetchDigest, fetchEntity } from '../../client/entity-call.ts'
import { describePlan, markdownOfPlan } from '../../client/plan-report.ts'
import { printJson, printLines } from '../../client/print.ts'
import { readInput, entityIn, readCommand } from '../../client/words.ts'
import { DIFFERENT } from './reading.ts'

/** Previews what saving a file would do; an invalid one is an error. */
export async function plan(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('plan', args, { least: 1, most: 1 })
  const { entity, group, message, markdown, json } = settings
  if (markdown && json) throw new SettingsError('give --markdown or --json, not both')
  const client = await connect(settings)
  const { body } = await client.call('POST /api/config/plan', {
    query: { entity, group },
    headers: reasonOf(message),
    body: await readInput(words[0] ?? ''),
  })
  if (json) printJson(body)
  else if (markdown) printLines(markdownOfPlan(body))
  else printLines(describePlan(body))
  if (!body.valid) return 1
  return settings['exit-code'] && body.changes.length + body.hidden.changes > 0 ? DIFFERENT : 0
}

/** Saves a file as the configuration, or as one entity of it. */
export async function save(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('save', args, { least: 1, most: 1 })
  const { entity, group, base, message, json } = settings
  const body = await readInput(words[0] ?? '')
  const client = await connect(settings)
  const headers = { ...(await conditionOf(client, base, entity)), ...reasonOf(message) }
  if (entity === null) {
    report(await client.call('PUT /api/admin/config.xml', { headers, body }), json)
    return 0
  }
  const { kind, name } = entityIn(entity)
  const answer =
    name === ''
      ? await client.call('PUT /api/config/entities/server', { headers, body })
      : await client.call('PUT /api/config/entities/:kind/:name', {
          params: { kind, name },
          query: { group },
          headers,
          body,
        })
  report(answer, json)
  return 0
}

/** Makes an older revision current again, or one entity of it. */
export async function rollback(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('rollback', args, { least: 1, most: 1 })
  const { entity, message, json } = settings
  const [commit = ''] = words
  const client = await connect(settings)
  if (entity === null) {
    const request = { params: { commit }, body: fieldsOf(message) }
    report(await client.call('POST /api/config/revisions/:commit/restore', request), json)
    return 0
  }
  const { kind, name } = entityIn(entity)
  const request = { params: { kind, name }, query: { to: commit }, body: fieldsOf(message) }
  report(await client.call('POST /api/config/entities/:kind/:name/restore', request), json)
  return 0
}

/** Takes the changes of one revision back. */
export async function undo(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('undo', args, { least: 1, most: 1 })
  const { rest, entity, message, json } = settings
  const client = await connect(settings)
  const answer = await client.call('POST /api/config/revisions/:commit/undo', {
    params: { commit: words[0] ?? '' },
    query: { rest: rest ? '1' : null, entity },
    body: fieldsOf(message),
  })
  report(answer, json)
  return 0
}

type Saved = AnswerOf<
  | 'PUT /api/admin/config.xml'
  | 'PUT /api/config/entities/:kind/:name'
  | 'POST /api/config/revisions/:commit/restore'
>

function report({ body, headers }: CallAnswer<Saved>, json: boolean): void {
  const digest = headers.get('x-service-config-md5')
  if (json) printJson({ ...body, digest })
  else printLines([digest === null ? body.message : `${body.message}: ${digest}`])
}

/** The header of the reason for a change, where there is one. */
function reasonOf(message: string | null): Record<string, string> {
  return message === null ? {} : { 'x-cairn-message': encodeURIComponent(message) }
}

/** The same as the fields of a call. */
function fieldsOf(message: string | null): { message?: string } {
  return message === null ? {} : { message }
}

/** The header that says what an edit began from. */
async function conditionOf(
  client: ServiceClient,
  base: string,
  entity: string | null,
): Promise<Record<string, string>> {
  if (base === 'any') return { 'if-match': '*' }
  if (base === 'none') {
    if (entity !== null) return { 'if-none-match': '*' }
    throw new SettingsError('--base none is for an entity that is not there yet')
  }
  if (entity !== null)
    return { 'if-match': `"${(await fetchEntity(client, entity, base)).digest}"` }
  return { 'if-match': `"${await fetchDigest(client, base)}"` }
}
