import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import type { RouteEnv } from '../door.ts'
import { json } from '../errors.ts'
import { ReadyBody } from '../ready-body.ts'

const FOLDER = fileURLToPath(new URL('./assets', import.meta.url))

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
])

/** The files that pages load, read once. An address carries the digest of the file, so it never goes stale. */
export class Assets {
  readonly #bodies = new Map<string, ReadyBody>()
  readonly #addresses = new Map<string, string>()

  constructor(folder = FOLDER) {
    for (const name of readdirSync(folder)) this.#add(name, readFileSync(join(folder, name)))
  }

  /** The versioned name of a file: `base.css` becomes `base-1a2b3c4d.css`. */
  addressOf(name: string): string {
    const address = this.#addresses.get(name)
    if (address === undefined) throw new Error(`There is no asset ${name}`)
    return address
  }

  routes(): Hono<RouteEnv> {
    return new Hono<RouteEnv>().get('/assets/:name', (c) => {
      const body = this.#bodies.get(c.req.param('name'))
      return body
        ? body.answer(c.req.raw)
        : json({ message: 'There is nothing at this address' }, 404)
    })
  }

  #add(name: string, bytes: Buffer<ArrayBuffer>): void {
    const etag = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
    const extension = extname(name)
    const address = `${name.slice(0, -extension.length)}-${etag}${extension}`
    const type = TYPES.get(extension) ?? 'application/octet-stream'
    this.#addresses.set(name, address)
    this.#bodies.set(address, new ReadyBody(bytes, { type, etag, immutable: true }))
  }
}
