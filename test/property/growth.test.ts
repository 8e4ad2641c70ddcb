import { renderToString } from 'hono/jsx/dom/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseArtifactPattern } from '../../src/agent/job/find-artifacts.ts'
import type { EntityIndex } from '../../src/index/entity-index.ts'
import { RevisionColumns } from '../../src/history/index/revision-columns.ts'
import { changesOfRevision } from '../../src/index/tables/revision-changes.ts'
import { summariseChanges } from '../../src/document/changes/summarise-changes.ts'
import type { DocumentChange } from '../../src/document/entities/change.ts'
import { shownPair, shownText } from '../../src/document/entities/shown-value.ts'
import { quotedWords, shellWords } from '../../src/core/service/command-words.ts'
import { readDocument } from '../../src/document/document.ts'
import { XmlScanner } from '../../src/document/highlight/xml-scanner.ts'
import { isIgnored } from '../../src/core/builds/path-patterns.ts'
import { isCron } from '../../src/document/timer/cron-fields.ts'
import {
  openAddress,
  plainSecretIn,
  withoutSecret,
} from '../../src/document/secrets/address-secret.ts'
import { pipelinesNaming } from '../../src/configuration/gate/references.ts'
import { shownProblems } from '../../src/configuration/gate/told-to-callers.ts'
import { editRules } from '../../src/configuration/gate/rules/edit-rules.ts'
import { readRules } from '../../src/configuration/gate/rules/read-rules.ts'
import { findSecrets } from '../../src/document/secrets/find-secrets.ts'
import { maskSecrets, shorten } from '../../src/document/text/shown-text.ts'
import { readXml } from '../../src/document/xml/xml-reader.ts'
import { mergeTexts } from '../../src/diff/merge.ts'
import { unifiedDiff } from '../../src/diff/unified.ts'
import { wordDiff } from '../../src/diff/word-diff.ts'
import { ChangeList } from '../../src/pages/parts/change-list.tsx'
import { mergeMembers } from '../../src/document/merge/merge-members.ts'
import { tagBody } from '../../src/document/merge/merge-tag.ts'
import { parseSignature } from '../../src/git/objects/commit-object.ts'
import { renderSignature } from '../../src/git/signature.ts'
import {
  authorName,
  bodyOf,
  parseMessage,
  reasonIn,
  trailersOf,
} from '../../src/history/revision/message.ts'
import { readForm, saysNothing } from '../../src/http/request-body.ts'
import { withoutTrailingSlashes } from '../../src/lib/texts.ts'
import { escapeHtml } from '../../src/pages/kit/words/escape.ts'
import { consoleLineHtml } from '../../src/pages/job/console-html.ts'
import { AccessRules } from '../../src/security/permissions.ts'
import { securityFactsOf } from '../../src/configuration/access/security-facts-of.ts'
import { DELEGATED } from '../support/service/delegated-changes.ts'
import { documentWith } from '../support/documents/documents.ts'
import { documentOf, HistoryFolder } from '../support/history/history-folder.ts'
import { indexOf as indexOfHistory } from '../support/history/history-index.ts'
import { runSync } from '../../src/lib/cooperative.ts'

/** The shorter of two lengths of a text, in characters; the other is four times as long. */
const LENGTH = 20_000
const TIMES = 4
/** How many times as long the longer one may take: linear, with some room for the collector. */
const MAX_GROWTH = 5
/** Milliseconds of the processor below which a measurement says nothing. */
const MIN_TIME_MS = 80
const TRIES = 8

/** The facts of a revision as its message has them. */
const FACTS = [
  `\nConfig-MD5: ${'0'.repeat(32)}`,
  'Config-Time: 1',
  'Schema-Version: 1',
  'Server-Edition: a',
  'Server-Version: 1',
].join('\n')

/** Pieces of hostile texts, to be repeated. Further ones are to be added here. */
const PIECES: readonly string[] = [
  ['a', 'a.', 'a-', '-', '_', '0', ' ', '\t', '\n', '\r', '\r\n', ' a', '\u00a0', '\u200f', '😀'],
  [
    '<',
    '>',
    '"',
    "'",
    '&',
    '&amp;',
    '<a ',
    '<a>',
    '<job>',
    '</a>',
    '<a b="',
    "='",
    '<!--',
    '-->',
    '<?',
  ],
  ['<![CDATA[', ']]>', ']]', '<value>', '<encryptedValue>', '<variable ', '<key secure="1">'],
  [
    '<variable secure="true">',
    'secure="true"',
    'secure=',
    'secure   ',
    '<encryptedValue><![CDATA[',
  ],
  ['{{SECRET:[', '{{SECRET:[a][', '#\n', FACTS],
  ['/', 'a/', '../', './', '\\', '://', 'a://', 'a.b://', 'a://b', 'a:@', '@', ':', 'x://a:b@'],
  ['x://a', 'AES:', 'AES:a:', 'AES:a', 'encrypted', 'password', 'password=', 'password="'],
  ["password='", 'password ', 'token = ', 'x-oauth-basic', '${', '${a', '${a[', '${a[:1', '[:9'],
  [
    '#',
    '#{',
    '#{a}',
    '${a}',
    '*',
    '**',
    '**/',
    '?',
    '*a',
    '%',
    '%4',
    ',',
    '1,',
    '1-',
    '0 0 ',
    '"\\',
  ],
  [
    '\u001b',
    '\u001b[',
    '\u001b[0',
    '\u001b[0;',
    '\u001b[1m',
    '\u001b]',
    '\u001b]0',
    '12:00:00.000 ',
  ],
].flat()

const bytes = (text: string) => Buffer.from(text)

/** Written as XML has it, whether or not XML can express it. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** A valid document with a text in all the places that take any. */
function documentAround(text: string): Buffer<ArrayBuffer> {
  const value = escaped(text)
  return bytes(
    documentWith('a', 'b')
      .replace('https://example.org/a.git', value)
      .replace('https://example.org/b.git" />', `u" dest="${value}" branch="${value}" />`)
      .replace('  <pipelines', `  <server commandRepositoryLocation="x${value}" />\n  <pipelines`)
      .replace('<pipeline name="a">', `<pipeline name="a" labeltemplate="${value}">`)
      .replace(
        '<exec command="make" />',
        `<exec command="${value}"><arg>${escaped(text)}</arg></exec>`,
      ),
  )
}

/** A valid document with two materials in folders that a text names. */
function foldersIn(text: string): Buffer<ArrayBuffer> {
  const value = escaped(text)
  const materials = `<git url="u" dest="a${value}" /><git url="v" dest="b${value}" />`
  return bytes(documentWith('a').replace(/<git [^>]*>/, materials))
}

/** Rules with a window whose times stand around a text. */
function rulesWith(text: string): string {
  const window = `{ weekly: ${JSON.stringify(`fri 16:00${text}mon 07:00`)}, zone: UTC }`
  return `version: 1\nrules:\n  - { name: a, window: ${window}, effect: deny }\n`
}

function tokensOf(text: string) {
  return new XmlScanner(text).tokens({ start: 0, end: text.length })
}

/** The problems that the administrator of a group is told of, with a text in a comment of that group. */
function toldToOwner(text: string) {
  const group = '<pipelines group="mine">'
  const comment = `<!-- ${text.replaceAll('-', '_')} -->`
  const reading = readDocument(bytes(DELEGATED.replace(group, group + comment)))
  if (!reading.ok) return null
  const { document } = reading
  const { configuration } = document
  const facts = securityFactsOf(configuration)
  const rights = new AccessRules(facts).permissionsOf({ username: 'owner' })
  return shownProblems([{ message: 'h1 is wrong' }], { document, configuration, rights })
}

/** All functions that take untrusted text. New ones are to be added here. */
const FUNCTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  findSecrets,
  maskSecrets,
  shorten,
  shownText,
  quotedWords,
  shellWords,
  isCron,
  escapeHtml,
  authorName: (text) => authorName(`a${text}`),
  parseMessage,
  parseMessageWithMore: (text) => parseMessage(`${text}\n\nb`),
  bodyOf: (text) => bodyOf(`a${text}\n\nb`),
  trailersOf: (text) => trailersOf(`${text}\n\nb`),
  reasonIn,
  parseSignature: (text) => parseSignature(`a${text}b <${text}> 1 +0000`),
  renderSignature: (text) => renderSignature({ name: `a${text}`, email: text, time: 0 }),
  saysNothing,
  saysNothingBehind: (text) => saysNothing(`{${text}`),
  readRules: (text) => readRules(bytes(rulesWith(text))),
  readYaml: (text) => readRules(bytes(text)),
  readFlow: (text) => readRules(bytes(`[${text}`)),
  editRules: (text) => {
    const comments = `# rules:\n${text.replaceAll(/[^\n]/g, '#')}\n`
    return editRules(`${comments}rules:\n  - name: a\n`, { kind: 'remove', name: 'a' })
  },
  withoutTrailingSlashes,
  tagBody: (text) => {
    const reading = runSync(readXml(bytes(`<a ${text} b="" />`)))
    return reading.ok && tagBody({ text: reading.text, element: reading.root })
  },
  consoleLineHtml: (text) => consoleLineHtml(text, 0),
  withoutSecret,
  plainSecretIn,
  openAddress: (text) => openAddress(text, () => null),
  secretsInAddress: (text) => findSecrets(`<git url="https://${text}`),
  secretInValue: (text) => findSecrets(`<variable secure="true"><value>${text}`),
  shownPair: (text) => shownPair(text, `${text}b`),
  isIgnored: (text) => isIgnored('src/main/a.txt', [text.slice(0, 400)]),
  artifactPattern: (text) => parseArtifactPattern('**/*a*a*b/**/c').matches?.(text),
  isIgnoredFile: (text) => isIgnored(text, ['**/a/*.txt']),
  readXml: (text) => runSync(readXml(bytes(text))),
  tokens: tokensOf,
  openAt: (text) => new XmlScanner(text).openAt(text.length - 1),
  tokensOfTag: (text) => tokensOf(`<a${text.slice(0, -1)}/>`),
  wordDiff: (text) => wordDiff(text, `b${text}`),
  unifiedDiff: (text) => unifiedDiff(bytes(text), bytes(`b${text}`)),
  mergeTexts: (text) =>
    mergeTexts({ base: bytes(text), ours: bytes(`b\n${text}`), theirs: bytes(`${text}\nc`) }),
}

/** The same for what takes a text in up to eight places of a document at once. */
const FUNCTIONS_OF_DOCUMENTS: Readonly<Record<string, (text: string) => unknown>> = {
  readDocument: (text) => readDocument(documentAround(text)),
  readFolders: (text) => readDocument(foldersIn(text)),
  shownProblems: toldToOwner,
  pipelinesNaming: (text) => {
    const reading = readDocument(documentAround(text))
    return reading.ok && pipelinesNaming(reading.document.configuration, () => true)
  },
  summariseChanges: (text) => {
    const [before, after] = [
      runSync(readXml(documentAround(text))),
      runSync(readXml(documentAround(`${text}b`))),
    ]
    return before.ok && after.ok && runSync(summariseChanges(before, after))
  },
}

/** Milliseconds of the processor that a call takes. */
function costOf(call: () => unknown): number {
  const before = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** A piece again and again, and an end that is none of it: what looks for the last one finds it late. */
function textOf(piece: string, length: number): string {
  return `${piece.repeat(Math.ceil(length / piece.length)).slice(0, length)}x`
}

/** How many times as long input of four times the size takes, at best; 1 where both are quick. */
function growthOf<Input>(
  work: (input: Input) => unknown,
  inputOf: (size: number) => Input,
  size: number,
  isTwice = false,
): number {
  const [short, long] = [inputOf(size), inputOf(size * TIMES)]
  let [least, most] = [Infinity, Infinity]
  for (let n = 0; n < TRIES; n += 1) {
    least = Math.min(
      least,
      costOf(() => work(short)),
    )
    // What takes so long at the smaller size need not be tried at the other.
    if (n === 0 && least > 4_000) return Infinity
    most = Math.min(
      most,
      costOf(() => work(long)),
    )
    if (most < MIN_TIME_MS || most <= MAX_GROWTH * least) return Math.min(MAX_GROWTH, most / least)
  }
  // Where the smaller one still fits into a cache of the processor, or others use it much, a larger
  // pair tells the truth: what grows with the square does so at every size.
  return isTwice ? most / least : growthOf(work, inputOf, 4 * size, true)
}

/**
 * The changes of a save of this many pipelines, where each has one change of its own and one in
 * common.
 */
function changesOf(count: number): DocumentChange[] {
  return Array.from({ length: count }, (_, n) => `p-${n}`).flatMap((label): DocumentChange[] => [
    { kind: 'added', entity: `pipeline/${label}`, label, path: [], subject: `pipeline ${label}` },
    {
      kind: 'changed',
      entity: `pipeline/${label}`,
      label,
      path: ['stage a'],
      subject: 'approval',
      from: 'manual',
      to: 'success',
    },
  ])
}

/** A document of this many pipelines, each with a command, as UTF-8. */
function pipelinesWith(command: string, count: number): Buffer<ArrayBuffer> {
  const names = Array.from({ length: count }, (_, n) => `p-${n}`)
  return bytes(documentWith(...names).replaceAll('"make"', `"${command}"`))
}

/** Two edits: one of each pipeline, one beside them. */
function editsOf(count: number) {
  const base = pipelinesWith('make', count)
  const theirs = bytes(base.toString().replace('</cruise>', '<!-- a --></cruise>'))
  return { base, ours: pipelinesWith('ant', count), theirs }
}

/** The parts of pages that render many changes; a new part is to be added here. */
const PARTS: Readonly<Record<string, (changes: readonly DocumentChange[]) => unknown>> = {
  ChangeList: (changes) =>
    renderToString(ChangeList({ changes, linkOf: () => null, most: 100, more: String })),
  changesOfRevision: (changes) => changesOfRevision(changes, new Map()),
}

describe('four times as many changes', { tags: ['long'] }, () => {
  it.each(Object.entries(PARTS))(
    `take %s no more than ${MAX_GROWTH} times as long`,
    { timeout: 300_000 },
    (_, work) => {
      expect(growthOf(work, changesOf, 2_500)).toBeLessThanOrEqual(MAX_GROWTH)
    },
  )

  it(`take a merge no more than ${MAX_GROWTH} times as long`, { timeout: 300_000 }, () => {
    expect(runSync(mergeMembers(editsOf(10)))).toContain('<!-- a -->')
    expect(
      growthOf((edits: ReturnType<typeof editsOf>) => runSync(mergeMembers(edits)), editsOf, 2_000),
    ).toBeLessThanOrEqual(MAX_GROWTH)
  })

  it(
    `take the index no more than ${MAX_GROWTH} times as long to list what they were about`,
    { timeout: 300_000 },
    async () => {
      const few = await indexOf(500)
      const many = await indexOf(2_000)

      expect(many.entities()).toHaveLength(few.entities().length + 1_500)
      expect(
        growthOf(
          (index: EntityIndex) => index.entities(),
          (size) => (size === 1 ? few : many),
          1,
          true,
        ),
      ).toBeLessThanOrEqual(MAX_GROWTH)
    },
  )
})

/** The lengths of a short and of a long history, and how often each is asked. */
const REVISIONS = { short: 1_000, long: 400_000 }
const QUESTIONS = 5_000

/** The columns of a history with a revision each second, some of them with the clock behind. */
function columnsOf(count: number): RevisionColumns {
  const steps = Array.from({ length: count }, (_, n) => (n % 10 === 9 ? -3 : 2))
  const author = { username: 'ann', kind: 'person' } as const
  const segment = { authors: [author], authorOf: steps.map(() => 0), steps }
  const columns = new RevisionColumns([{ readColumns: () => segment }])
  columns.counts()
  return columns
}

function askForTimes(columns: RevisionColumns): void {
  for (let n = 0; n < QUESTIONS; n += 1) columns.lastUntil(n % 700)
}

it(
  'the revision of a time is found as soon in a history of four hundred times the length',
  { tags: ['long'], timeout: 300_000 },
  () => {
    const [short, long] = [columnsOf(REVISIONS.short), columnsOf(REVISIONS.long)]

    const costs = Array.from({ length: TRIES }, () => ({
      before: costOf(() => askForTimes(short)),
      cost: costOf(() => askForTimes(long)),
    }))

    const least = Math.min(...costs.map(({ before }) => before))
    expect(Math.min(...costs.map(({ cost }) => cost)) / least).toBeLessThanOrEqual(MAX_GROWTH)
  },
)

/** An index of a history in which one revision added this number of pipelines. */
async function indexOf(count: number): Promise<EntityIndex> {
  const stages = '<stage name="s"><jobs><job name="j"/></jobs></stage>'
  const names = Array.from(
    { length: count },
    (_, n) => `<pipeline name="p-${n}">${stages}</pipeline>`,
  )
  const document = documentOf(`<pipelines group="g">${names.join('\n')}</pipelines>`)
  const folder = new HistoryFolder({ firstDocument: () => bytes(document) })
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const index = indexOfHistory(await folder.open())
  await index.settle()
  return index.entities
}

/** Multipart, with this number of values of one field. */
function formOf(count: number): Buffer<ArrayBuffer> {
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
  return bytes(`${part.repeat(count)}--b--\r\n`)
}

async function costOfForm(body: Buffer<ArrayBuffer>): Promise<number> {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const request = new Request('http://a/', { method: 'POST', headers, body })
  const before = process.cpuUsage()
  await readForm(request, body.length)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

it(
  `four times as many fields of one name take no more than ${MAX_GROWTH} times as long`,
  { tags: ['long'], timeout: 300_000 },
  async () => {
    const [few, many] = [formOf(10_000), formOf(TIMES * 10_000)]
    let [least, most] = [Infinity, Infinity]
    for (let n = 0; n < TRIES; n += 1) {
      least = Math.min(least, await costOfForm(few))
      most = Math.min(most, await costOfForm(many))
    }

    expect(most / least).toBeLessThanOrEqual(MAX_GROWTH)
  },
)

describe('a text of four times the length', { tags: ['long'] }, () => {
  it.each([
    ...Object.entries(FUNCTIONS).map(([name, work]) => ({ name, work, shorter: LENGTH })),
    ...Object.entries(FUNCTIONS_OF_DOCUMENTS).map(([name, work]) => {
      return { name, work, shorter: LENGTH / 4 }
    }),
  ])(
    `takes $name no more than ${MAX_GROWTH} times as long`,
    { timeout: 300_000 },
    ({ work, shorter }) => {
      const grown = PIECES.map((piece) => ({
        piece,
        growth: growthOf(work, (length) => textOf(piece, length), shorter),
      }))

      expect(grown.filter(({ growth }) => growth > MAX_GROWTH)).toEqual([])
    },
  )
})
