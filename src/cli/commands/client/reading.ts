import type { AnswerOf } from '../../../client/call-types.ts'
import type { ServiceClient } from '../../../client/service-client.ts'
import { shownSubject } from '../../../core/revision.ts'
import { connect } from '../../client/connect.ts'
import { fetchEntity } from '../../client/entity-call.ts'
import { type PrintedLine, printJson, printLines, printText } from '../../client/print.ts'
import { readCommand, revisionText, timeText } from '../../client/words.ts'

type Revisions = AnswerOf<'GET /api/config/revisions'>
type Changes = AnswerOf<'GET /api/config/changes/:from/:to'>['changes']

/** The exit code of a comparison that found differences, where that was asked for. */
export const DIFFERENT = 4

/** Lists revisions. */
export async function history(args: readonly string[]): Promise<number> {
  const { settings } = readCommand('history', args, { least: 0, most: 0 })
  const { entity, by, mentions, since, until, limit, json } = settings
  const query = { entity, user: by, q: mentions, since, until, limit }
  printRevisions(await revisionsOf(await connect(settings), query), json)
  return 0
}

/** Lists the revisions in which a text came or went. */
export async function searchCommand(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('search', args, { least: 1, most: 1 })
  const { entity, limit, json } = settings
  const query = { text: words[0] ?? '', entity, limit }
  printRevisions(await revisionsOf(await connect(settings), query), json)
  return 0
}

/** Shows one revision, or the XML of then. */
export async function show(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('show', args, { least: 1, most: 1 })
  const { entity, xml, json } = settings
  const [revision = ''] = words
  const client = await connect(settings)
  if (xml && entity !== null) {
    const { text, digest } = await fetchEntity(client, entity, revision)
    if (json) printJson({ digest, xml: text })
    else printText(text.endsWith('\n') ? text : `${text}\n`)
    return 0
  }
  const { body } = await client.call('GET /api/config/changes/:revision', {
    params: { revision },
    query: { entity },
  })
  if (xml) {
    const digest = body.revision.md5
    const document = await client.call('GET /api/admin/config/:file{.+\\.xml}', {
      params: { file: `${digest}.xml` },
    })
    if (json) printJson({ digest, xml: document.body })
    else printText(document.body)
    return 0
  }
  if (json) printJson(body)
  else printLines(linesOfRevision(body))
  return 0
}

/** Compares two revisions. */
export async function diff(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('diff', args, { least: 1, most: 2 })
  const { entity, words: inWords, json } = settings
  const [from = '', to = 'current'] = words
  const client = await connect(settings)
  const request = { params: { from, to }, query: { entity } }
  const code = (isDifferent: boolean) => (isDifferent && settings['exit-code'] ? DIFFERENT : 0)
  if (inWords) {
    const { body } = await client.call('GET /api/config/changes/:from/:to', request)
    if (json) printJson(body)
    else printLines(linesOfChanges(body.changes))
    return code(body.changes.length > 0)
  }
  const { body } = await client.call('GET /api/config/diff/:from/:to', request)
  if (json) printJson({ diff: body })
  else if (body !== '') printLines(body.replace(/\n$/, '').split('\n').map(diffLine))
  return code(body !== '')
}

/** Names the revision that wrote each line. */
export async function blame(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('blame', args, { least: 0, most: 1 })
  const { entity, json } = settings
  const client = await connect(settings)
  const { body } = await client.call('GET /api/config/blame/:revision', {
    params: { revision: words[0] ?? 'current' },
    query: { entity },
  })
  if (json) printJson(body)
  else printLines(blamedLines(body))
  return 0
}

async function revisionsOf(
  client: ServiceClient,
  query: Readonly<Record<string, string | number | null>>,
): Promise<Revisions> {
  return (await client.call('GET /api/config/revisions', { query })).body
}

function printRevisions(revisions: Revisions, json: boolean): void {
  if (json) return printJson(revisions)
  const numbers = widest(revisions.map(revisionText))
  const names = widest(revisions.map(({ username }) => username))
  printLines(
    revisions.flatMap((revision): PrintedLine[] => {
      const { time, username, subject, tags, message } = revision
      const tagged = tags.length === 0 ? '' : ` [${tags.join(', ')}]`
      const facts = [
        revisionText(revision).padEnd(numbers),
        timeText(time),
        username.padEnd(names),
        `${shownSubject(subject)}${tagged}`,
      ]
      const reason = message.split('\n').filter((line) => line !== '')
      return [
        { text: facts.join('  '), isCut: true },
        ...reason.map((line) => ({ text: `    ${line}`, colour: 'cyan' as const })),
      ]
    }),
  )
}

function linesOfRevision({
  revision,
  changes,
}: AnswerOf<'GET /api/config/changes/:revision'>): readonly (PrintedLine | string)[] {
  const { commitSHA, md5, username, time, subject, message, tags } = revision
  return [
    { text: `${revisionText(revision)} by ${username}, ${timeText(time)}`, colour: 'bold' },
    `commit ${commitSHA}`,
    `digest ${md5}`,
    ...(tags.length === 0 ? [] : [`tags ${tags.join(', ')}`]),
    '',
    shownSubject(subject),
    ...(message === '' ? [] : ['', ...message.split('\n').map((line) => `    ${line}`)]),
    ...(changes.length === 0 ? [] : ['', ...linesOfChanges(changes)]),
  ]
}

/** A line for each change, under the entity that it is about. */
function linesOfChanges(changes: Changes): readonly PrintedLine[] {
  return changes.map(({ entity, text, kind }) => {
    const colour = kind === 'added' ? 'green' : kind === 'removed' ? 'red' : undefined
    return { text: `${entity}: ${text}`, ...(colour === undefined ? {} : { colour }) }
  })
}

function diffLine(text: string): PrintedLine {
  if (text.startsWith('+')) return { text, colour: 'green' }
  if (text.startsWith('-')) return { text, colour: 'red' }
  return text.startsWith('@@') ? { text, colour: 'cyan' } : { text }
}

function blamedLines({
  parts,
}: AnswerOf<'GET /api/config/blame/:revision'>): readonly PrintedLine[] {
  const writers = parts.map(({ revision }) => `${revisionText(revision)} ${revision.username}`)
  const width = widest(writers)
  const end = parts.at(-1)
  const digits = String((end?.first ?? 0) + (end?.lines.length ?? 0)).length
  return parts.flatMap(({ first, lines, revision }, place) => {
    const day = new Date(revision.time).toISOString().slice(0, 'YYYY-MM-DD'.length)
    const writer = `${(writers[place] ?? '').padEnd(width)} ${day}`
    return lines.map((line, n) => ({
      text: `${writer} ${String(first + n).padStart(digits)}  ${line}`,
      isCut: true,
    }))
  })
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length))
}
