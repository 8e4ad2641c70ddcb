import { gitSettings } from './git-settings.ts'
import { isLocalAddress, type SourceAddress } from './source-address.ts'

/** The value of `GIT_ALLOW_PROTOCOL`: what git may speak to get to an address, and to any other it leads to. */
export function protocolsFor(url: string): string {
  return isLocalAddress(url) ? 'file' : 'http:https:ssh:git'
}

/** Asked by git for the server of the repository alone, so that no redirection leads to another one. */
const CREDENTIAL_HELPER = `!f() { printf 'username=%s\\npassword=%s\\n' "$CAIRN_USERNAME" "$CAIRN_PASSWORD"; }; f`

/** Variables that make git use these credentials, which no command line shows, and run no program of a repository. */
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
