import type { P4Material } from '../document/model/materials.ts'
import {
  type MaterialSource,
  MAX_CHANGES,
  revisionNumber,
  SourceFailed,
  type RevisionSpan,
  type SourceModification,
} from './modification.ts'
import { secretsOf, type SourcePlace, addressOf } from './source-place.ts'

const CHANGE = /^Change (\d+) /gm

/** Uses an own client with the view, so that the server lists only changes of its files. */
export function p4Source(material: P4Material, place: SourcePlace): MaterialSource {
  const { tools, folder, password } = place
  const { username, useTickets } = material
  const { url: port } = addressOf('p4', material.port)
  const client = `cairn-${folder.slice(folder.lastIndexOf('/') + 1).slice(0, 24)}`
  const user = username === null || username === '' ? [] : ['-u', username]
  const secret = password ?? ''

  function p4(args: readonly string[], input = ''): Promise<string> {
    return tools.run({
      command: 'p4',
      args: ['-p', port, ...user, '-c', client, ...args],
      cwd: folder,
      environment: secret === '' || useTickets ? {} : { P4PASSWD: secret },
      input,
      secrets: secretsOf({ username, password }, false),
    })
  }

  async function connect(): Promise<void> {
    if (useTickets && secret !== '') await p4(['login'], `${secret}\n`)
    await p4(['client', '-i'], renderClient(client, folder, material.view))
  }

  async function listChanges(range: string, most: number): Promise<string[]> {
    await connect()
    const list = await p4([
      'changes',
      '-s',
      'submitted',
      '-m',
      `${most}`,
      `//${client}/...${range}`,
    ])
    return [...list.matchAll(CHANGE)].map(([, number = '']) => number)
  }

  async function newest(): Promise<string> {
    const [number] = await listChanges('', 1)
    if (number !== undefined) return number
    throw new SourceFailed('p4: there is no change in the view')
  }

  async function changes({ after, upTo }: RevisionSpan) {
    const last = Number(upTo)
    const first = after === null ? last : Number(after) + 1
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first > last) return null
    const numbers = await listChanges(`@${first},@${last}`, MAX_CHANGES + 1)
    if (numbers.length > MAX_CHANGES) return null
    return numbers.length === 0 ? [] : parseDescriptions(await p4(['describe', '-s', ...numbers]))
  }

  async function find(revision: string) {
    const number = revisionNumber(revision)
    if (number === null) return null
    return (await listChanges(`@${number},@${number}`, 1))[0] ?? null
  }

  return { newest, changes, find }
}

/** Replaces the view's own client name by ours. */
function renderClient(client: string, folder: string, view: string): string {
  const mappings = view
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.replace(/(\s"?\/\/)[^/]+\//, (_, start: string) => `${start}${client}/`))
  const lines = [`Client: ${client}`, `Root: ${folder}`, 'View:']
  return [...lines, ...mappings.map((mapping) => `\t${mapping}`), ''].join('\n')
}

const HEAD = /^Change (\d+) by (\S+)@\S+ on (\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)/
const FILE = /^\.\.\. (\/\/.+)#\d+ \S+/

/** Parses the output of `p4 describe -s` for several changes. */
function parseDescriptions(text: string): SourceModification[] {
  return text
    .split(/^(?=Change \d+ by )/m)
    .filter((part) => HEAD.test(part))
    .map(modificationOf)
}

function modificationOf(text: string): SourceModification {
  const [, revision = '', username = '', ...date] = HEAD.exec(text) ?? []
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = date.map(Number)
  const lines = text.split('\n')
  const files = lines.flatMap((line) => FILE.exec(line)?.[1] ?? [])
  // Below it come the jobs that the change fixes, with descriptions of their own.
  const end = lines.findIndex((line, at) => at > 0 && /^[^\t]/.test(line))
  const comment = lines.slice(1, end < 0 ? lines.length : end).map((line) => line.slice(1))
  const time = new Date(year, month - 1, day, hour, minute, second).getTime()
  return { revision, username, time, comment: comment.join('\n').trim(), files }
}
