import type { SourceAddress } from './source-address.ts'

/**
 * How to start Mercurial's client with credentials that appear neither in a file nor on a command
 * line.
 */
export interface HgSettings {
  readonly environment: Readonly<Record<string, string>>
  command(args: readonly string[]): { command: string; args: readonly string[] }
}

/** Passes our settings to the client through a pipe, which is its standard input. */
const WITH_SETTINGS = 'printf %s "$CAIRN_SETTINGS" | hg "$@"'

/**
 * Settings with the credentials of an address, which replace those of the user and the system; null
 * when there are none.
 *
 * @throws when the credentials contain a line break.
 */
export function hgSettings({ url, username, password }: SourceAddress): HgSettings | null {
  if (!/^https?:/i.test(url) || (username === null && password === null)) return null
  const lines = [
    ['prefix', url],
    ['username', username ?? ''],
    ['password', password ?? ''],
  ].map(([name, value]) => `cairn.${name} = ${oneLine(value ?? '')}`)
  return {
    environment: { HGRCPATH: '/dev/stdin', CAIRN_SETTINGS: `[auth]\n${lines.join('\n')}\n` },
    command: (args) => ({ command: 'sh', args: ['-c', WITH_SETTINGS, 'hg', ...args] }),
  }
}

function oneLine(value: string): string {
  if (/[\r\n\0]/.test(value)) throw new Error('the credentials are not one line')
  return value
}
