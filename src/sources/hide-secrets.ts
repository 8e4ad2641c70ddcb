import { MASK, maskSecrets } from '../document/text/mask-secrets.ts'

/** Removes the secrets from a text, in all forms that tools print them in. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), encodeURI(secret)])
  const longestFirst = [...new Set(forms)]
    .filter((form) => form !== '')
    .toSorted((one, other) => other.length - one.length)
  return maskSecrets(longestFirst.reduce((line, form) => line.replaceAll(form, MASK), text))
}
