import { SettingsError } from '../settings/settings-error.ts'
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
    calls: ['state dump', 'state load FILE', 'state load', 'state check'],
    purpose:
      'Writes the state of agents and builds as lines of JSON, reads it, or checks it. Without FILE, `load` moves that of the state folder into the database.',
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
  completion: {
    calls: ['completion bash', 'completion zsh', 'completion fish', 'completion man'],
    purpose: 'Prints what completes command lines in a shell, or the manual page.',
  },
  history: {
    calls: ['history --server URL'],
    purpose: 'Asks a server for the revisions of its configuration, newest first.',
  },
  show: {
    calls: ['show REV', 'show REV --xml', 'show REV --entity KIND/NAME --xml'],
    purpose: 'Asks a server for one revision: its author, reason and changes, or its XML.',
  },
  diff: {
    calls: ['diff FROM [TO]', 'diff FROM [TO] --words'],
    purpose: 'Compares two revisions; TO is the current one when absent.',
  },
  blame: {
    calls: ['blame [REV]', 'blame [REV] --entity KIND/NAME'],
    purpose: 'Says which revision wrote each line.',
  },
  search: {
    calls: ['search TEXT'],
    purpose: 'Finds the revisions in which a text came or went, as git log -S.',
  },
  plan: {
    calls: ['plan FILE', 'plan FILE --entity KIND/NAME'],
    purpose: 'Previews what saving a file would change, start and stop. FILE may be -.',
  },
  save: {
    calls: [
      'save FILE --base REV --message WHY',
      'save FILE --entity KIND/NAME --base REV --message WHY',
    ],
    purpose: 'Saves a file as the configuration, or as one entity of it. FILE may be -.',
  },
  rollback: {
    calls: ['rollback REV --message WHY', 'rollback REV --entity KIND/NAME --message WHY'],
    purpose: 'Makes an older revision current again, or one entity of it.',
  },
  undo: {
    calls: ['undo REV --message WHY', 'undo REV --entity KIND/NAME --message WHY'],
    purpose: 'Takes the changes of one revision back, or those of one entity. Later changes stay.',
  },
  propose: {
    calls: ['propose FILE --title TITLE', 'propose KIND/NAME=FILE... --title TITLE'],
    purpose:
      'Proposes a configuration, or entities of it, that others approve. KIND/NAME= removes.',
  },
  approve: { calls: ['approve NUMBER'], purpose: 'Approves a proposal. Tokens cannot.' },
  rules: {
    calls: ['rules test FILE', 'rules test FILE --since REV'],
    purpose: 'Says which past changes a file of rules would have held up. FILE may be -.',
  },
  runs: { calls: ['runs PIPELINE'], purpose: 'Lists the runs of a pipeline, newest first.' },
  why: {
    calls: ['why PIPELINE [RUN]'],
    purpose: 'Says what changed since a run last passed, the likeliest cause first.',
  },
}

/** The error for arguments that are none of the calls of a command. */
export function wrongUsage(command: CommandName, problem = ''): SettingsError {
  return new SettingsError(`${problem}use ${USAGE[command].calls.join(' | ')}`)
}
