import type { NewProposalBody } from '../../../wire/proposal-body.ts'
import { SettingsError } from '../../../settings/settings-error.ts'
import { connect } from '../../client/connect.ts'
import { fetchDigest } from '../../client/entity-call.ts'
import { printJson, printLines } from '../../client/print.ts'
import { readInput, entityIn, wholeNumberIn, readCommand } from '../../client/words.ts'
import type { AnswerOf } from '../../../client/call-types.ts'

/** The form of an entity among the words: `pipeline/shop=shop.xml`, without a file to remove it. */
const ENTITY_WORD = /^((?:[a-z-]+\/[^=]+)|server)=(.*)$/s

/** Proposes a configuration, or entities of it. */
export async function proposeCommand(args: readonly string[]): Promise<number> {
  const most = Number.MAX_SAFE_INTEGER
  const { words, settings } = readCommand('propose', args, { least: 1, most })
  const { title, message, when, base, group, json } = settings
  const content = await contentOf(words, group)
  const client = await connect(settings)
  const { body } = await client.call('POST /api/proposals', {
    body: {
      title,
      ...(message === null ? {} : { message }),
      ...(when === null ? {} : { when }),
      ...(base === null ? {} : { base: await fetchDigest(client, base) }),
      ...content,
    },
  })
  if (json) printJson(body)
  else printLines(describeProposal(body))
  return 0
}

export async function approve(args: readonly string[]): Promise<number> {
  const { words, settings } = readCommand('approve', args, { least: 1, most: 1 })
  const { seen, message, json } = settings
  const number = wholeNumberIn(words[0] ?? '', 'the number of a proposal')
  const client = await connect(settings)
  const { body } = await client.call('POST /api/proposals/:number/approve', {
    params: { number },
    body: {
      ...(seen === null ? {} : { version: seen }),
      ...(message === null ? {} : { text: message }),
    },
  })
  if (json) printJson(body)
  else printLines(describeProposal(body))
  return 0
}

async function contentOf(
  words: readonly string[],
  group: string | null,
): Promise<Pick<NewProposalBody, 'document' | 'entities'>> {
  const [first = ''] = words
  if (words.length === 1 && !ENTITY_WORD.test(first)) return { document: await textIn(first) }
  const entities = words.map(async (word) => {
    const [, entity, file = ''] = ENTITY_WORD.exec(word) ?? []
    if (entity === undefined) throw new SettingsError(`"${word}" is not KIND/NAME=FILE`)
    const xml = file === '' ? null : await textIn(file)
    return { ...entityIn(entity), xml, ...(group === null ? {} : { group }) }
  })
  return { entities: await Promise.all(entities) }
}

async function textIn(file: string): Promise<string> {
  return Buffer.from(await readInput(file)).toString('utf8')
}

/** A proposal in a few lines: its state, and whose approval it needs. */
function describeProposal(proposal: AnswerOf<'GET /api/proposals/:number'>): readonly string[] {
  const { number, title, state, version, entities, verdict, problems, conflicts } = proposal
  return [
    `Proposal ${number}, version ${version}, is ${state}: ${title}`,
    ...entities.map((entity) => `  changes ${entity}`),
    ...(state === 'open' ? (verdict?.needs ?? []) : []).map(
      ({ rule, of, reason }) =>
        `  ${rule} needs ${of.join(', ')}${reason === '' ? '' : `: ${reason}`}`,
    ),
    ...conflicts.map(({ path }) => `  changed by others too: ${path}`),
    ...problems.map((problem) => `  not valid: ${problem}`),
  ]
}
