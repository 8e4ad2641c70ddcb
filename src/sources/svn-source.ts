import { XMLParser } from 'fast-xml-parser'
import { z } from 'zod'
import type { SvnMaterial } from '../document/model/materials.ts'
import {
  type MaterialSource,
  type SourceModification,
  MOST_CHANGES,
  revisionNumber,
  SourceFailed,
  type RevisionSpan,
} from './modification.ts'
import { secretsOf, type SourcePlace, addressOf } from './source-place.ts'

const Info = z.object({
  info: z.object({
    entry: z.object({
      /** The newest revision of the whole repository, unless another one was requested. */
      '@revision': z.string(),
      commit: z.object({ '@revision': z.string() }),
    }),
  }),
})
/** The path or the revision does not exist. */
const NOT_THERE = /\b[EW](?:160006|160013|170000|200009)\b/
const Path = z.union([z.string(), z.object({ '#text': z.string() })])
const Entry = z.object({
  '@revision': z.string(),
  author: z.string().default(''),
  date: z.string().default(''),
  msg: z.string().default(''),
  paths: z.union([z.object({ path: z.array(Path).default([]) }), z.literal('')]).optional(),
})
const Log = z.object({ log: z.union([z.object({ logentry: z.array(Entry) }), z.literal('')]) })

const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'logentry' || name === 'path',
})

/** Queries only the server: one revision number identifies everything. */
export function svnSource(material: SvnMaterial, place: SourcePlace): MaterialSource {
  const address = addressOf('svn', material.url)
  const username = material.username ?? address.username
  const password = place.password ?? address.password
  const user = username === null || username === '' ? [] : [`--username=${username}`]
  const secret = password === null || password === '' ? [] : ['--password-from-stdin']
  const options = ['--xml', '--non-interactive', '--no-auth-cache', ...user, ...secret]

  async function svn(...args: readonly string[]): Promise<unknown> {
    const text = await place.tools.run({
      command: 'svn',
      args: [...args.slice(0, -1), ...options, '--', ...args.slice(-1)],
      cwd: place.folder,
      environment: { LC_ALL: 'C.UTF-8' },
      input: password ?? '',
      secrets: secretsOf({ username, password }, address.username !== null),
    })
    return PARSER.parse(text)
  }

  /** An `@` in the URL itself must not be parsed as a revision. */
  async function infoAt(revision: string) {
    const info = Info.safeParse(await svn('info', `${address.url}@${revision}`))
    if (info.success) return info.data.info.entry
    throw new SourceFailed('svn: it tells no revision')
  }

  async function newest(): Promise<string> {
    return (await infoAt('')).commit['@revision']
  }

  async function changes({ after, upTo }: RevisionSpan) {
    const last = Number(upTo)
    const first = after === null ? last : Number(after) + 1
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first > last) return null
    const span = ['--verbose', `--revision=${last}:${first}`, `--limit=${MOST_CHANGES + 1}`]
    const log = Log.safeParse(await svn('log', ...span, `${address.url}@${last}`))
    if (!log.success) throw new SourceFailed('svn: its log cannot be read')
    const entries = log.data.log === '' ? [] : log.data.log.logentry
    return entries.length > MOST_CHANGES ? null : entries.map(modificationOf)
  }

  /** Checks the newest revision first, and then the requested one. */
  async function find(revision: string) {
    const number = revisionNumber(revision)
    if (number === null || Number(number) > Number((await infoAt(''))['@revision'])) return null
    try {
      await infoAt(number)
      return number
    } catch (error) {
      if (error instanceof SourceFailed && NOT_THERE.test(error.message)) return null
      throw error
    }
  }

  return { newest, changes, find }
}

function modificationOf(entry: z.infer<typeof Entry>): SourceModification {
  const paths = typeof entry.paths === 'object' ? entry.paths.path : []
  return {
    revision: entry['@revision'],
    username: entry.author,
    time: Date.parse(entry.date) || 0,
    comment: entry.msg.trim(),
    files: paths.map((path) => (typeof path === 'string' ? path : path['#text'])),
  }
}
