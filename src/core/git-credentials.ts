import { gitSettings } from './git-settings.ts'
import { isLocalAddress, type SourceAddress } from './source-address.ts'

/**
 * The value of `GIT_ALLOW_PROTOCOL`: the protocols that git may use for an address and its
 * redirections.
 */
export function protocolsFor(url: string): string {
  return isLocalAddress(url) ? 'file' : 'http:https:ssh:git'
}

/**
 * Git queries it for the server of the repository only, so that a redirection cannot obtain the
 * credentials.
 */
const CREDENTIAL_HELPER = `!f() { printf 'username=%s\\npassword=%s\\n' "$CAIRN_USERNAME" "$CAIRN_PASSWORD"; }; f`

/**
 * Variables that pass credentials to git without a command line, and keep it from running programs
 * of a repository.
 */
export function settingsFor({
  url,
  username,
  password,
}: SourceAddress): Readonly<Record<string, string>> {
  if (!/^https?:/i.test(url) || (username === null && password === null)) return gitSettings()
  const key = `credential.${new URL(url).origin}.helper`
  return {
    ...gitSettings([
      [key, ''],
      [key, CREDENTIAL_HELPER],
    ]),
    CAIRN_USERNAME: username ?? '',
    CAIRN_PASSWORD: password ?? '',
  }
}
