import { unescape } from 'node:querystring'
import { addressFault, schemeOf, type SourceKind } from '../../core/source-address.ts'
import { SourceFailed } from './modification.ts'

/** Where a repository is, apart from the credentials that its URL may hold. */
export interface SourceAddress {
  /** Nothing that a command line may not show. */
  readonly url: string
  readonly username: string | null
  readonly password: string | null
}

/**
 * Takes the address of a repository apart: a URL with one of the schemes of its kind, or a path.
 *
 * @throws {SourceFailed} for anything that a tool could take for an option or a command.
 */
export function addressOf(kind: SourceKind, text: string): SourceAddress {
  const url = text.trim()
  const fault = addressFault(kind, url)
  if (fault !== null) throw new SourceFailed(fault)
  const scheme = schemeOf(url)
  if (scheme === 'http' || scheme === 'https') return withoutUser(url)
  return { url, username: null, password: null }
}

function withoutUser(text: string): SourceAddress {
  if (!URL.canParse(text)) throw new SourceFailed('The address of the repository is not a URL')
  const url = new URL(text)
  if (url.username === '' && url.password === '') {
    return { url: text, username: null, password: null }
  }
  const username = unescape(url.username)
  const password = unescape(url.password)
  url.username = ''
  url.password = ''
  return { url: url.href, username, password }
}
