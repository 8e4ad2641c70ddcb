import type { Context } from 'hono'
import { NOT_MODIFIED } from '../../api/definition/operation.ts'
import { SAMPLE } from '../../api/definition/sample.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { PAGES_TAG } from '../frame/page-routes.ts'

/** The description of a route that answers with a patch. */
export const PATCH = {
  tag: PAGES_TAG,
  caller: 'administrator',
  rename: { file: 'to' },
  answers: {
    200: { text: 'A patch', content: [{ type: 'text/x-patch', schema: null }] },
    304: NOT_MODIFIED,
  },
  example: {
    answer: `diff --git a/config.xml b/config.xml\n--- a/config.xml\n+++ b/config.xml\n${SAMPLE.diff}`,
  },
} as const

export interface Patch {
  readonly text: Uint8Array<ArrayBuffer>
  /** The name of the file without its ending. */
  readonly name: string
  readonly etag: string
  readonly immutable: boolean
}

/** A patch as a file to download. */
export function answerPatch(
  c: Context<RouteEnv>,
  { text, name, ...keeping }: Patch,
): Response | Promise<Response> {
  const body = new CachedResponse(text, {
    type: 'text/x-patch; charset=utf-8',
    ...keeping,
    headers: {
      'content-disposition': `attachment; filename="${name}.patch"`,
      'x-content-type-options': 'nosniff',
    },
  })
  return body.answer(c)
}

/** The hunks of a diff as a patch of a file for `git apply`; empty when there are none. */
export function renderPatch(
  hunks: Uint8Array<ArrayBuffer>,
  fileName: string,
): Uint8Array<ArrayBuffer> {
  if (hunks.length === 0) return hunks
  const [old, now] = [quoted(`a/${fileName}`), quoted(`b/${fileName}`)]
  const head = `diff --git ${old} ${now}\n--- ${old}\n+++ ${now}\n`
  return Buffer.concat([Buffer.from(head), hunks])
}

/** A file name in git's notation for patches: quoted if it has special characters. */
function quoted(name: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) return name
  const bytes = Array.from(Buffer.from(name), (byte) =>
    byte > 0x1f && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, '0')}`,
  )
  return `"${bytes.join('')}"`
}
