/** The part before the last `@`, without the scheme: a password may contain any character. */
const BEFORE_HOST = /^([a-z][\w+.-]*:\/\/)?[^]*@/i
/** A parameter of an address, or a part of a connection string, that is a secret by its name. */
const NAMED_SECRET = /((?:^|[?&;\s])[\w-]*(?:passw(?:or)?d|secret|token|key)=)[^&;\s]*/gi

/** An address, even a malformed one, without user, password and secret parameters. */
export function withoutCredentials(address: string): string {
  return address.replace(BEFORE_HOST, '$1').replaceAll(NAMED_SECRET, '$1…')
}
