import type { SourceAddress } from './source-address.ts'

/** How Mercurial's client is started so that it uses credentials that neither a file nor a command line has. */
export interface HgSettings {
  readonly environment: Readonly<Record<string, string>>
  command(args: readonly string[]): { command: string; args: readonly string[] }
}

/** Hands the client settings of ours through a pipe; its own input is that pipe. */
const WITH_SETTINGS = 'printf %s "$CAIRN_SETTINGS" | hg "$@"'

/**
 * The settings with the credentials of an address, instead of those of the user and the system;
 * null where there are none.
 *
 * @throws when the credentials would be more than one line there.
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
