import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, extname } from 'node:path'
import type { Context } from 'hono'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { builtFile } from '../../lib/built-file.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { listVocabulary } from '../../document/schema/vocabulary.ts'

/**
 * The style sheets that pages load, each with its parts in order. The kit is for every page; the
 * other parts stand beside the pages that they are for.
 */
const STYLE_SHEETS: Readonly<Record<string, readonly string[]>> = {
  'tokens.css': ['kit/styles/tokens.css'],
  'base.css': [
    'kit/styles/page.css',
    'kit/styles/frame.css',
    'kit/styles/cards.css',
    'kit/styles/tables.css',
    'kit/styles/forms.css',
    'kit/styles/marks.css',
    'kit/styles/changes.css',
  ],
  'api.css': ['api/api.css'],
  'audit.css': ['audit/audit.css'],
  'code.css': ['code/text.css'],
  'compare.css': ['compare/compare.css'],
  'edit.css': ['snapshot/outline.css', 'edit/edit.css'],
  'entity.css': ['runs/timeline.css', 'entity/entity.css'],
  'history.css': ['history/history.css'],
  'runs.css': [
    'agents/agents.css',
    'agent-removal/removal.css',
    'pipelines/pipelines.css',
    'runs/timeline.css',
    'stage/stage.css',
    'job/console.css',
  ],
  'login.css': ['login/login.css'],
  'permissions.css': ['permissions/permissions.css'],
  'rules.css': ['rules/rules.css'],
  'search.css': ['search/search.css'],
  'snapshot.css': ['snapshot/outline.css', 'snapshot/listing.css'],
}

const SCRIPTS = ['editor.js', 'enhance.js', 'keys.js', 'live.js', 'snapshot.js']
const ICON = 'kit/cairn.svg'
const modules = createRequire(import.meta.url)

/** The fonts, by their names in the style sheets. */
const FONTS: readonly (readonly [string, string])[] = [
  ['inter.woff2', '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'],
  [
    'mono.woff2',
    '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  ],
]

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
])

/** The files that pages load, read and compressed once for all services of a process. */
export function builtAssets(): Assets {
  built ??= new Assets()
  return built
}
let built: Assets | null = null

/**
 * The files that pages load, read once. An address contains the digest of its file, so it never
 * goes stale.
 */
export class Assets {
  readonly #bodies = new Map<string, CachedResponse>()
  readonly #addresses = new Map<string, string>()
  /** Changes when any of the files does. */
  readonly version: string

  constructor() {
    for (const [name, module] of FONTS) this.#add(name, readFileSync(modules.resolve(module)))
    for (const name of SCRIPTS) this.#add(name, pageFile(`scripts/${name}`))
    for (const [name, parts] of Object.entries(STYLE_SHEETS)) {
      const texts = parts.map(pageFile)
      this.#add(name, this.#withAddresses(Buffer.concat(texts)))
    }
    this.#add(basename(ICON), pageFile(ICON))
    for (const schema of ['exact', 'others'] as const) {
      this.#add(vocabularyName(schema), Buffer.from(JSON.stringify(listVocabulary(schema))))
    }
    this.version = versionOf([...this.#addresses.values()].join())
  }

  /** The versioned name of a file: `base.css` becomes `base-1a2b3c4d.css`. */
  addressOf(name: string): string {
    const address = this.#addresses.get(name)
    if (address === undefined) throw new Error(`There is no asset ${name}`)
    return address
  }

  answer(c: Context<RouteEnv>, name: string): Response | Promise<Response> {
    const body = this.#bodies.get(name)
    return body ? body.answer(c) : json({ message: 'There is nothing at this address' }, 404)
  }

  #add(name: string, bytes: Buffer<ArrayBuffer>): void {
    const etag = versionOf(bytes)
    const extension = extname(name)
    const address = `${name.slice(0, -extension.length)}-${etag}${extension}`
    const type = TYPES.get(extension) ?? 'application/octet-stream'
    this.#addresses.set(name, address)
    this.#bodies.set(address, new CachedResponse(bytes, { type, etag, immutable: true }))
  }

  /** Replaces the names of fonts in a style sheet by their versioned names. */
  #withAddresses(bytes: Buffer): Buffer<ArrayBuffer> {
    const text = bytes.toString().replace(/url\(([\w.-]+)\)/g, (_, name: string) => {
      return `url(${this.addressOf(name)})`
    })
    return Buffer.from(text)
  }
}

/** The asset with what may be in a document, for the completion in the editor. */
export function vocabularyName(schema: 'exact' | 'others'): string {
  return `vocabulary-${schema}.json`
}

function pageFile(path: string): Buffer<ArrayBuffer> {
  return readFileSync(builtFile(`pages/${path}`))
}

function versionOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12)
}
