import { unescape } from 'node:querystring'
import { SourceFailed } from './modification.ts'

/** Where a repository is, apart from the credentials that its URL may hold. */
export interface SourceAddress {
  /** Nothing that a command line may not show. */
  readonly url: string
  readonly username: string | null
  readonly password: string | null
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//
// `ext::sh -c …` runs a command, and so may any other transport that git has a helper for.
const HELPER = /^[A-Za-z][A-Za-z0-9+.-]*::/
// A host such as `-oProxyCommand=…` would be an option of ssh.
const HOST_AS_OPTION = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/)?(?:[^/@]*@)?-/
// `host:path` is git's; to others it is a kind of repository of their own, such as `bundle:`.
const SHORT = /^[^/]*:(?!\/\/)/
const CONTROL = /\p{Cc}/u

/**
 * Takes the address of a repository apart: a URL with one of the schemes, or a path where `file` is one.
 *
 * @throws {SourceFailed} for anything that a tool could take for an option or a command.
 */
export function addressOf(text: string, schemes: readonly string[]): SourceAddress {
  const url = text.trim()
  const [, scheme] = SCHEME.exec(url) ?? []
  const isOdd = HELPER.test(url) || HOST_AS_OPTION.test(url) || CONTROL.test(url)
  const isForeign = SHORT.test(url) && !schemes.includes('git')
  if (isOdd || isForeign || !schemes.includes(scheme?.toLowerCase() ?? 'file')) {
    throw new SourceFailed(`The address of the repository is none of ${schemes.join(', ')}`)
  }
  return /^https?$/i.test(scheme ?? '') ? withoutUser(url) : { url, username: null, password: null }
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
