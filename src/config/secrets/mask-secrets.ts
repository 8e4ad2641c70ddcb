/** What stands in the place of a secret, sealed or not, where people look at a text. */
export const MASK = '••••••'

const ATTRIBUTE =
  /\b((?:encrypted|manager|encryptedManager)?[Pp]assword\s*=\s*)("[^"]*"?|'[^']*'?)/g
const SEALED_VALUE = /(<encryptedValue>)[^<]*/g
const LOOSE_SEALED = /AES:[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+/g
/** The password of a user in a URL. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'<>]*:)[^\s/@"'<>]+(?=@)/gi

/** One line, or several, of a document with every password and sealed value hidden. */
export function maskSecrets(text: string): string {
  return text
    .replace(ATTRIBUTE, (_, name: string, value: string) => `${name}${masked(value)}`)
    .replace(SEALED_VALUE, `$1${MASK}`)
    .replace(LOOSE_SEALED, MASK)
    .replace(URL_PASSWORD, `$1${MASK}`)
}

/** Keeps the quotes; a value that goes on in the next line has but one. */
function masked(value: string): string {
  const quote = value.charAt(0)
  return `${quote}${MASK}${value.length > 1 && value.endsWith(quote) ? quote : ''}`
}
