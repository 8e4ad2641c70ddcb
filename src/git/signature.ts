/** The person and time of a change to a repository. */
export interface Signature {
  readonly name: string
  readonly email: string
  /** Milliseconds since the UNIX epoch; git keeps whole seconds. */
  readonly time: number
}

const NOBODY = 'unknown'

/** Characters that could end the header line or the name in it, and blanks at the start. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}<>]|^\s+/gu

/**
 * `Name <email> seconds zone`, as commits and reflogs have it: one line for any name.
 * Unsafe characters are percent-encoded, an empty name becomes `unknown`.
 */
export function renderSignature({ name, email, time }: Signature): string {
  const seconds = Math.max(0, Math.floor(time / 1000))
  return `${encode(name) || NOBODY} <${encode(email)}> ${seconds} +0000`
}

function encode(text: string): string {
  const start = text.trimEnd()
  return start.replace(UNSAFE, encodeURIComponent) + encodeURIComponent(text.slice(start.length))
}
