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

/** Variables that pass these settings and `NO_PROGRAMS` to git without a command line. */
export function gitSettings(more: readonly GitSetting[] = []): Readonly<Record<string, string>> {
  const settings = [...NO_PROGRAMS, ...more]
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) }
}
