import { SettingsError } from '../settings/read-settings.ts'
import type { SETTINGS } from '../settings/settings.ts'

/** The syntax of a command, and its purpose. */
interface Usage {
  /** The words after `cairn`, one line for each form of the call. */
  readonly calls: readonly string[]
  readonly purpose: string
}

export type CommandName = keyof typeof SETTINGS

export const USAGE: Readonly<Record<CommandName, Usage>> = {
  serve: { calls: ['serve'], purpose: 'Serves the configuration repository.' },
  agent: { calls: ['agent --server URL'], purpose: 'Runs the jobs of a server on this machine.' },
  'agent invite': {
    calls: ['agent invite', 'agent invite list', 'agent invite revoke ID'],
    purpose: 'Lets an agent register once without an approval.',
  },
  verify: {
    calls: ['verify'],
    purpose: 'Checks that every revision is there with the bytes that were recorded.',
  },
  report: {
    calls: ['report'],
    purpose: 'Prints changes with their reasons, approvals and overrides, from git alone.',
  },
  backup: {
    calls: ['backup FILE', 'backup -'],
    purpose: 'Writes all that a service needs into one file, or to standard output.',
  },
  archive: {
    calls: ['archive --before DATE FILE', 'archive --restore FILE'],
    purpose: 'Moves old revisions into a file, or back. Stop the service first.',
  },
  restore: {
    calls: ['restore FILE'],
    purpose: 'Puts a backup in its places, where nothing is yet.',
  },
  doctor: {
    calls: ['doctor'],
    purpose: 'Finds damage in the repository and the state, and repairs it with --repair.',
  },
  user: {
    calls: [
      'user add NAME',
      'user passwd NAME',
      'user disable NAME',
      'user enable NAME',
      'user remove NAME',
      'user list',
    ],
    purpose: 'Manages who may log in. A password is the first line of standard input.',
  },
  token: {
    calls: ['token create NAME --user USER', 'token list', 'token revoke ID'],
    purpose: 'Manages tokens, by which programs log in as a user.',
  },
  state: {
    calls: ['state dump', 'state load FILE', 'state check'],
    purpose: 'Writes the state of agents and builds as lines of JSON, reads it, or checks it.',
  },
  audit: {
    calls: ['audit', 'audit --follow'],
    purpose: 'Prints the audit log. With --follow, prints the newest entries and waits for more.',
  },
  secrets: {
    calls: ['secrets rotate'],
    purpose: 'Seals the secrets of the configuration with a new key. Stop the service first.',
  },
  import: {
    calls: ['import REPO', 'import --report-only FILE|FOLDER|REPO'],
    purpose:
      'Reads the configuration history of another server into this one, and says what of it will not run here. Stop the service first.',
  },
  'check-push': {
    calls: ['check-push'],
    purpose: 'Checks what is pushed. Git calls it, as the hook pre-receive.',
  },
}

/** The error for arguments that are none of the calls of a command. */
export function wrongUsage(command: CommandName, problem = ''): SettingsError {
  return new SettingsError(`${problem}use ${USAGE[command].calls.join(' | ')}`)
}
