import { unescape } from 'node:querystring'

/** The version control systems, whose clients take an address. */
export const SOURCE_KINDS = ['svn', 'hg', 'git', 'p4', 'tfs'] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]

/** The address of a repository, apart from the credentials in its URL. */
export interface SourceAddress {
  /** Safe to show on a command line. */
  readonly url: string
  readonly username: string | null
  readonly password: string | null
}

/** The permitted schemes; an address without one is a path where `file` is permitted. */
const SCHEMES: Readonly<Record<Exclude<SourceKind, 'p4'>, readonly string[]>> = {
  git: ['http', 'https', 'ssh', 'git', 'file'],
  hg: ['http', 'https', 'ssh', 'file'],
  svn: ['http', 'https', 'svn', 'svn+ssh', 'file'],
  tfs: ['http', 'https'],
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//
// `ext::sh -c …` runs a command, and so may any other transport that git has a helper for.
const HELPER = /^[A-Za-z][A-Za-z0-9+.-]*::/
// A host such as `-oProxyCommand=…` would be an option of ssh. Some clients decode it first.
const HOST_AS_OPTION = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/)?(?:[^/@]*@)*\[?(?:-|%2d)/i
// `host:path` is git's syntax; for others it is another kind of repository, such as `bundle:`.
const SHORT = /^[^/]*:(?!\/\/)/
// To p4 `rsh:command` is a server that is started for the connection.
const P4_PORT =
  /^(?![rj]sh:|-)(?:(?:tcp|ssl)(?:4|6|46|64)?:)?(?:[A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])(?::\d+)?$/i
const CONTROL = /\p{Cc}/u

/**
 * The reason why an address must not be given to the client, which could read it as an option or a
 * command; or null.
 */
export function addressFault(kind: SourceKind, address: string): string | null {
  if (kind === 'p4') {
    return P4_PORT.test(address) ? null : 'The address of the server is not a host and a port'
  }
  const schemes = SCHEMES[kind]
  const isOdd = HELPER.test(address) || HOST_AS_OPTION.test(address) || CONTROL.test(address)
  const isForeign = SHORT.test(address) && kind !== 'git'
  const isKnown = schemes.includes(schemeOf(address) ?? 'file')
  if (!isOdd && !isForeign && isKnown) return null
  return `The address of the repository is none of ${schemes.join(', ')}`
}

/** The scheme of a URL in lower case, or null for any other address. */
function schemeOf(address: string): string | null {
  return SCHEME.exec(address)?.[1]?.toLowerCase() ?? null
}

/** Whether an address is on this machine's disks: a path or a `file:` URL. */
export function isLocalAddress(address: string): boolean {
  const scheme = schemeOf(address)
  return scheme === 'file' || (scheme === null && !SHORT.test(address))
}

/** Separates the credentials from a web address; null for an address that is not a URL. */
export function splitAddress(text: string): SourceAddress | null {
  const plain = { url: text, username: null, password: null }
  if (!/^https?$/.test(schemeOf(text) ?? '')) return plain
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.username === '' && url.password === '') return plain
  const [username, password] = [unescape(url.username), unescape(url.password)]
  url.username = ''
  url.password = ''
  return { url: url.href, username, password }
}

/** The address of a Mercurial repository, and the branch that its client reads behind a `#`. */
export function splitHgAddress(address: string): {
  readonly url: string
  readonly branch: string | null
} {
  const [url = '', ...rest] = address.split('#')
  const name = rest.join('#')
  const branch = schemeOf(url) === null ? name : unescape(name)
  return { url, branch: branch === '' ? null : branch }
}
