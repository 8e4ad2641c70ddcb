import { listSettings } from '../settings/read-settings.ts'
import { SETTINGS } from '../settings/settings.ts'
import { type CommandName, USAGE } from './usage.ts'

/** The lines about all commands, without their settings. */
export function helpOfAll(): readonly string[] {
  const commands = Object.entries(USAGE)
  const width = Math.max(...commands.map(([name]) => name.length))
  return [
    'cairn COMMAND [--SETTING VALUE]...',
    '',
    ...commands.map(([name, { purpose }]) => `  ${name.padEnd(width)}  ${purpose}`),
    '',
    '`cairn help COMMAND` lists the settings of one. Each is a flag and a variable; the flag wins.',
  ]
}

/** The lines about one command, and about its parts, such as `agent invite`. */
export function helpOf(command: string): readonly string[] {
  return commandNames()
    .filter((name) => name === command || name.startsWith(`${command} `))
    .flatMap((name, place) => [
      ...(place === 0 ? [] : ['']),
      ...USAGE[name].calls.map((call) => `cairn ${call}`),
      '',
      `  ${USAGE[name].purpose}`,
      '',
      ...settingsOf(name),
    ])
}

/** Every command, in the order of the table. */
export function commandNames(): CommandName[] {
  return Object.keys(USAGE).filter((name): name is CommandName => name in SETTINGS)
}

/** One line a setting: flag, variable, meaning, and the default where there is one. */
function settingsOf(name: CommandName): readonly string[] {
  const settings = listSettings(SETTINGS[name])
  const flags = Math.max(...settings.map(({ flag }) => flag.length))
  const variables = Math.max(...settings.map(({ variable }) => variable.length))
  return settings.map(({ flag, variable, meaning, preset }) => {
    const line = `  ${flag.padEnd(flags)}  ${variable.padEnd(variables)}  ${meaning}`
    return preset === null || preset === 'false' ? line : `${line} [${preset}]`
  })
}
