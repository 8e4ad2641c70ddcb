import { isLocalAddress, type SourceAddress } from './source-address.ts'

/** The value of `GIT_ALLOW_PROTOCOL`: what git may speak to get to an address, and to any other it leads to. */
export function protocolsFor(url: string): string {
  return isLocalAddress(url) ? 'file' : 'http:https:ssh:git'
}

/** Asked by git for the server of the repository alone, so that no redirection leads to another one. */
const CREDENTIAL_HELPER = `!f() { printf 'username=%s\\npassword=%s\\n' "$CAIRN_USERNAME" "$CAIRN_PASSWORD"; }; f`

/** Variables that make git use these credentials, which no command line shows. */
export function credentialsFor({
  url,
  username,
  password,
}: SourceAddress): Readonly<Record<string, string>> {
  if (!/^https?:/i.test(url) || (username === null && password === null)) return {}
  const key = `credential.${new URL(url).origin}.helper`
  return {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: key,
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: key,
    GIT_CONFIG_VALUE_1: CREDENTIAL_HELPER,
    CAIRN_USERNAME: username ?? '',
    CAIRN_PASSWORD: password ?? '',
  }
}
