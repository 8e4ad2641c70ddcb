import type { AnswerOf } from '../../../client/call-types.ts'
import { shownSubject } from '../../../core/revision.ts'
import { plural } from '../../../lib/plural.ts'
import { wrongUsage } from '../../usage.ts'
import { connect } from '../../client/connect.ts'
import { printJson, type PrintedLine, printLines } from '../../client/print.ts'
import { readCommand, readInput, revisionText, timeText } from '../../client/words.ts'
import { DIFFERENT } from './reading.ts'

type Replay = AnswerOf<'POST /api/admin/rules/replay'>

/** Tells which past changes a file of rules would have held up. */
export async function rulesCommand(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('rules', args, { least: 2, most: 2 })
  const [verb, file = ''] = words
  if (verb !== 'test') throw wrongUsage('rules')
  const { since, limit, json } = settings
  const bytes = await readInput(file)
  const client = await connect(settings)
  const { body } = await client.call('POST /api/admin/rules/replay', {
    query: { since, limit },
    body: bytes,
  })
  if (json) printJson(body)
  else printLines(describeReplay(body))
  return settings['exit-code'] && body.heldUp > 0 ? DIFFERENT : 0
}

function count(number: number): string {
  return number.toLocaleString('en')
}

function describeReplay(replay: Replay): readonly (PrintedLine | string)[] {
  const { changes, heldUp, from, complete, skipped, rules, authors, revisions } = replay
  const left = heldUp - revisions.length
  return [
    {
      text: `Would have held up ${count(heldUp)} of ${count(changes)} ${plural(changes, 'change')}`,
      colour: 'bold',
    },
    ...(complete ? [] : [`Changes before r${from} were not tried: it would have taken too long`]),
    ...(skipped === 0 ? [] : [`${count(skipped)} of them could not be judged`]),
    ...rules.map((rule) => `  ${rule.name}: ${outcomeOf(rule)}`),
    ...authors.map(({ username, heldUp: own }) => `  by ${username}: ${count(own)}`),
    ...revisions.map(({ objections, ...revision }) => {
      const { username, time, subject } = revision
      const reasons = objections.map(({ reason }) => reason).join('; ')
      const text = `${revisionText(revision)}  ${timeText(time)}  ${username}  ${shownSubject(subject)}: ${reasons}`
      return { text, isCut: true }
    }),
    ...(left > 0 && revisions.length > 0
      ? [`and ${count(left)} older ${plural(left, 'one')}: --limit`]
      : []),
  ]
}

function outcomeOf({ heldUp, warned, assumed }: Replay['rules'][number]): string {
  const warns = warned === 0 ? '' : `warns of ${count(warned)}`
  const holds = heldUp === 0 && warned > 0 ? '' : count(heldUp)
  const unknown = assumed.length === 0 ? '' : ` (whatever the ${assumed.join(' and ')} was)`
  return `${[holds, warns].filter(Boolean).join(', ')}${unknown}`
}
