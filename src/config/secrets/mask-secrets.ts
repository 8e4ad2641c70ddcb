/** What stands in the place of a secret, sealed or not, where people look at a text. */
export const MASK = '••••••'

const ATTRIBUTE =
  /\b((?:encrypted|manager|encryptedManager)?[Pp]assword\s*=\s*)("[^"]*"?|'[^']*'?)/g
const SEALED_VALUE = /(<encryptedValue>)([^<]*)/g
const LOOSE_SEALED = /AES:[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+/g
/** The password of a user in a URL. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'<>]*:)[^\s/@"'<>]+(?=@)/gi

/** One line, or several, of a document with every password and sealed value hidden. No line is lost. */
export function maskSecrets(text: string): string {
  return text
    .replace(ATTRIBUTE, (_, name: string, value: string) => `${name}${masked(value)}`)
    .replace(SEALED_VALUE, (_, tag: string, value: string) => `${tag}${hidden(value)}`)
    .replace(LOOSE_SEALED, MASK)
    .replace(URL_PASSWORD, `$1${MASK}`)
}

/** Keeps the quotes; a value that goes on in the next line has but one. */
function masked(value: string): string {
  const quote = value.charAt(0)
  return `${quote}${hidden(value)}${value.length > 1 && value.endsWith(quote) ? quote : ''}`
}

/** The mask, with as many line feeds as what it hides, so that the lines below keep their numbers. */
function hidden(value: string): string {
  return value.includes('\n') ? MASK + value.replace(/[^\n]/g, '') : MASK
}
