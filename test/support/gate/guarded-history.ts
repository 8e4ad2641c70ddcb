import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { Dice } from '../../bench/documents.ts'
import { git } from '../git/git.ts'
import { tempDir } from '../disk/temp-folder.ts'
import { GUARDED, pipelineText } from './guarded-document.ts'

/** A Thursday in winter; the revisions come some hours apart, over all days of the week. */
const BEGUN_S = Date.UTC(2026, 0, 1, 12) / 1_000
const AUTHORS = ['root', 'rick', 'ann', 'paul', 'pete', 'will', 'gone', 'Filesystem']

type Edit = (document: string, text: string, dice: Dice) => string

/** Edits of many kinds; one that fits nowhere leaves the document as it is. */
const EDITS: readonly Edit[] = [
  ...['bill', 'shop'].map(
    (name): Edit =>
      (document, text) =>
        within(document, name, (pipeline) => pipeline.replace(/<arg>[^<]*</, `<arg>${text}<`)),
  ),
  ...['ship', 'site', 'extra'].map(
    (name): Edit =>
      (document, text) =>
        within(document, name, (pipeline) =>
          pipeline.replace(/url="[^"]*"/, `url="https://example.org/${text}.git"`),
        ),
  ),
  (document, text) => document.replace(/(<param name="goal">)[^<]*/, `$1${text}`),
  (document, text) => document.replace(/(<variable name="REGION">\s*<value>)[^<]*/, `$1${text}`),
  (document, text) => document.replace(/(<pipeline name="deploy">[^]*?<arg>)[^<]*/, `$1${text}`),
  (document, text) => document.replace(/(<pipeline name="other">[^]*?<arg>)[^<]*/, `$1${text}`),
  (document, text) => document.replace(/(<key>image<\/key>\s*<value>)[^<]*/, `$1${text}`),
  (document, text) => document.replace(/(<key>address<\/key>\s*<value>)[^<]*/, `$1${text}`),
  (document, text) => document.replace(/hostname="[^"]*"/, `hostname="${text}"`),
  (document, text) =>
    document.replace(
      /<cruise [^>]*>\n(?:  <!--.*-->\n)?/,
      (tag) => `${tag.split('\n')[0]}\n  <!-- ${text} -->\n`,
    ),
  (document, text) =>
    within(document, 'bill', (pipeline) =>
      pipeline.replace(
        /\n(?:      <!--.*-->\n)?      <materials>/,
        `\n      <!-- ${text} -->\n      <materials>`,
      ),
    ),
  (document) =>
    document.includes('<user>pia</user>')
      ? document.replace(/ *<user>pia<\/user>\n/, '')
      : document.replace(/( *)<user>pete<\/user>\n/, '$&$1<user>pia</user>\n'),
  (document, _, dice) => {
    const [from, to] = dice.roll(2) === 0 ? ['paul', 'will'] : ['will', 'paul']
    return document.replace(new RegExp(`(<role name="payers">[^]*?<user>)${from}(?=<)`), `$1${to}`)
  },
  (document) =>
    document.includes('<user>abe</user>')
      ? document.replace(/ *<user>abe<\/user>\n/, '')
      : document.replace(/( *)<user>ann<\/user>\n/, '$&$1<user>abe</user>\n'),
  (document) =>
    document.includes('name="extra"')
      ? document.replace(pipelineText('extra', document), '')
      : document.replace(
          /(?=    <pipeline name="shop">)/,
          '    <pipeline name="extra" template="deploy">\n      <materials>\n        <git url="https://example.org/e.git" />\n      </materials>\n    </pipeline>\n',
        ),
  (document) => moved(document, 'site'),
  (document) => moved(document, 'extra'),
  (document) =>
    /<environment name="test">[^]*?"site"/.test(document)
      ? document.replace(/ *<pipeline name="site" \/>\n/, '')
      : document.replace(/( *)<pipeline name="shop" \/>\n/, '$&$1<pipeline name="site" />\n'),
  (document) =>
    document
      .replaceAll(/\n {4,}(?=<exec)/g, (space) => `${space} `)
      .replace(/\n {20,}(?=<exec)/g, '\n              '),
  (document, text) => document.replaceAll(/"ship2?"/g, text.endsWith('1') ? '"ship2"' : '"ship"'),
]

function within(document: string, name: string, edit: (pipeline: string) => string): string {
  if (!new RegExp(`    <pipeline name="${name}"[ >][^]*?</pipeline>`).test(document))
    return document
  const text = pipelineText(name, document)
  return document.replace(text, () => edit(text))
}

/** Puts a pipeline into the other group. */
function moved(document: string, name: string): string {
  if (!document.includes(`    <pipeline name="${name}" `)) return document
  const text = pipelineText(name, document)
  const isInPay = document.indexOf(text) < document.indexOf('group="web"')
  const rest = document.replace(text, '')
  return isInPay
    ? rest.replace(/(?=    <pipeline name="shop">)/, () => text)
    : rest.replace(/(?=    <pipeline name="bill">)/, () => text)
}

/** Makes a repository in which people, git and the live file have changed the guarded document in many ways. */
export function guardedHistory(revisions: number, seed: number): string {
  const folder = tempDir()
  const dice = new Dice(seed)
  git(folder, 'init', '-q', '-b', 'main')
  const commits: string[] = []
  let document = GUARDED
  for (let n = 0; n < revisions; n += 1) {
    const edits = n === 0 ? 0 : 1 + Number(dice.roll(5) === 0)
    for (let each = 0; each < edits; each += 1) {
      document = (EDITS[dice.roll(EDITS.length)] ?? ((same) => same))(
        document,
        `t${n}-${dice.roll(3)}`,
        dice,
      )
    }
    commits.push(commitOf(n, document, dice))
  }
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input: commits.join('') })
  git(folder, 'reset', '-q', '--hard')
  return folder
}

function commitOf(n: number, document: string, dice: Dice): string {
  const author = AUTHORS[dice.roll(AUTHORS.length)] ?? 'root'
  const seconds = BEGUN_S + n * 17_000
  const digest = createHash('md5').update(document).digest('hex')
  const reason = dice.roll(3) === 0 ? [] : ['Because of something', '']
  const facts = [
    `Config-MD5: ${digest}`,
    `Config-Time: ${seconds * 1_000}`,
    'Schema-Version: 139',
    'Server-Edition: OpenSource',
    'Server-Version: 1.0.0',
    '',
  ]
  const isNative = author !== 'Filesystem' && dice.roll(6) === 0
  const message = ['Change things', '', ...reason, ...(isNative ? [] : facts)].join('\n')
  const committer = isNative ? `${author} <${author}@localhost>` : 'Cairn <cairn@localhost>'
  return [
    'commit refs/heads/main',
    `mark :${n + 1}`,
    `author ${author} <${author}@localhost> ${seconds} +0000`,
    `committer ${committer} ${seconds} +0000`,
    `data ${Buffer.byteLength(message)}`,
    message,
    ...(n > 40 && dice.roll(40) === 0 ? [`merge :${n - 1 - dice.roll(20)}`] : []),
    'M 100644 inline config.xml',
    `data ${Buffer.byteLength(document)}`,
    document,
    '',
  ].join('\n')
}
