import { isLocalAddress, type SourceAddress } from './source-address.ts'

/** A setting of git: its key and value. */
export type GitSetting = readonly [key: string, value: string]

/**
 * Prevents repositories from naming programs for git to run: they have foreign authors too. A later
 * setting wins, such as the folder of our own hooks.
 */
export const NO_PROGRAMS: readonly GitSetting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['protocol.ext.allow', 'never'],
]

/**
 * Variables by which git names a repository to programs that it starts, such as hooks: a service or an agent that one
 * of them starts would have its own programs use that repository.
 */
const OF_A_REPOSITORY: readonly string[] = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]

export function isOfRepository(variable: string): boolean {
  return OF_A_REPOSITORY.includes(variable)
}

/** Variables that pass these settings and `NO_PROGRAMS` to git without a command line. */
function gitSettings(more: readonly GitSetting[] = []): Readonly<Record<string, string>> {
  const settings = [...NO_PROGRAMS, ...more]
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) }
}

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
