import { z } from 'zod'
import { MAX_CHANGES, SourceFailed, type SourceModification } from './modification.ts'
import { secretsOf, type SourcePlace } from './source-place.ts'

/** An address of a Subversion server, and its user. */
export interface SvnPlace {
  readonly url: string
  readonly username: string | null
  readonly password: string | null
  /** Whether a user without a password is a token. */
  readonly userIsSecret: boolean
}

const Info = z.object({
  info: z.object({
    entry: z.object({
      /** The newest revision of the whole repository, unless another one was requested. */
      '@revision': z.string(),
      commit: z.object({ '@revision': z.string() }),
      repository: z.object({ root: z.string() }),
    }),
  }),
})
const Path = z.union([z.string(), z.object({ '#text': z.string() })])
const Entry = z.object({
  '@revision': z.string(),
  author: z.string().default(''),
  date: z.string().default(''),
  msg: z.string().default(''),
  paths: z.union([z.object({ path: z.array(Path).default([]) }), z.literal('')]).optional(),
})
const Log = z.object({ log: z.union([z.object({ logentry: z.array(Entry) }), z.string()]) })
const Target = z.object({
  '@path': z.string(),
  property: z.union([z.string(), z.object({ '#text': z.string().default('') })]),
})
const Properties = z.object({
  properties: z.union([z.object({ target: z.array(Target).default([]) }), z.string()]),
})

/** The path or the revision does not exist. */
const NOT_THERE = /\b[EW](?:160006|160013|170000|200009)\b/

/** Whether a failure says that the path or the revision does not exist. */
export function isNotThere(error: unknown): boolean {
  return error instanceof SourceFailed && NOT_THERE.test(error.message)
}

/** The calls of the client about one address. An `@` in it must not be parsed as a revision. */
export class SvnClient {
  readonly url: string
  readonly #place: SourcePlace
  readonly #login: SvnPlace

  constructor(place: SourcePlace, login: SvnPlace) {
    this.#place = place
    this.#login = login
    this.url = login.url
  }

  /** The client for another address; the credentials go to the same server alone. */
  at(url: string): SvnClient {
    const login = { username: null, password: null, userIsSecret: false }
    const isSame = new URL(url).host === new URL(this.url).host
    return new SvnClient(this.#place, { ...(isSame ? this.#login : login), url })
  }

  async info(revision = '') {
    const info = Info.safeParse(await this.#run('info', `${this.url}@${revision}`))
    if (info.success) return info.data.info.entry
    throw new SourceFailed('svn: it tells no revision')
  }

  async log(first: number, last: number): Promise<SourceModification[]> {
    const span = ['--verbose', `--revision=${last}:${first}`, `--limit=${MAX_CHANGES + 1}`]
    const log = Log.safeParse(await this.#run('log', ...span, `${this.url}@${last}`))
    if (!log.success) throw new SourceFailed('svn: its log cannot be read')
    return typeof log.data.log === 'string' ? [] : log.data.log.logentry.map(modificationOf)
  }

  /** The texts that name externals, with the addresses of their folders. */
  async externals(): Promise<readonly { readonly folder: string; readonly text: string }[]> {
    const args = ['propget', 'svn:externals', '--recursive', `${this.url}@`]
    const found = Properties.safeParse(await this.#run(...args))
    if (!found.success) throw new SourceFailed('svn: its externals cannot be read')
    const { properties } = found.data
    return (typeof properties === 'string' ? [] : properties.target).map((target) => ({
      folder: target['@path'],
      text: typeof target.property === 'string' ? target.property : target.property['#text'],
    }))
  }

  async #run(...args: readonly string[]): Promise<unknown> {
    const { username, password, userIsSecret } = this.#login
    const user = username === null || username === '' ? [] : [`--username=${username}`]
    const secret = password === null || password === '' ? [] : ['--password-from-stdin']
    const options = ['--xml', '--non-interactive', '--no-auth-cache', ...user, ...secret]
    const text = await this.#place.tools.run({
      command: 'svn',
      args: [...args.slice(0, -1), ...options, '--', ...args.slice(-1)],
      cwd: this.#place.folder,
      environment: { LC_ALL: 'C.UTF-8' },
      input: password ?? '',
      secrets: secretsOf({ username, password }, userIsSecret),
    })
    return parseXml(text)
  }
}

async function parseXml(text: string): Promise<unknown> {
  const { XMLParser } = await import('fast-xml-parser')
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    trimValues: false,
    isArray: (name) => name === 'logentry' || name === 'path' || name === 'target',
  })
  return parser.parse(text)
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
