import type { DescribedOperation } from '../service/described-api.ts'
import { rawRequest, statusOf } from './raw-http.ts'
import { HEADER_SPELLINGS, PATH_SPELLINGS } from './spellings.ts'

/** A request as it goes over the line. */
export interface SpelledRequest {
  readonly target: string
  readonly headers: readonly string[]
}

/** Every described GET that needs credentials, with something in the places of its parameters. */
export function guardedPaths(operations: readonly DescribedOperation[], name: string): string[] {
  return operations
    .filter(({ method, security }) => method === 'get' && security.length > 0)
    .map(({ path }) => path.replaceAll(/\{\w+\}/g, name))
}

/** All spellings of a path, and the path itself beside all spellings of headers. */
export function spellingsOf(path: string): SpelledRequest[] {
  return [
    ...PATH_SPELLINGS.map((spell) => ({ target: spell(path), headers: [] })),
    ...HEADER_SPELLINGS.map((spell) => ({ target: path, headers: spell(path) })),
  ]
}

export function send(url: string, { target, headers }: SpelledRequest): Promise<string> {
  const host = headers.some((line) => line.startsWith('Host:')) ? [] : ['Host: x']
  return rawRequest(url, [`GET ${target} HTTP/1.1`, ...host, ...headers])
}

/** Whether an answer gives something: what is refused, sent elsewhere or no HTTP gives nothing. */
export function gives(answer: string): boolean {
  const status = statusOf(answer)
  return (status >= 200 && status < 300) || status >= 500
}

/** Whether a spelling leads to a page that needs no credentials, so that it may be answered. */
export function isOpen({ target }: SpelledRequest, open: ReadonlySet<string>): boolean {
  if (!URL.canParse(target, 'http://x')) return false
  const { pathname } = new URL(target, 'http://x')
  return open.has(pathname) || open.has(pathname.replace(/\/$/, ''))
}
