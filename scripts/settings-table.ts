// Writes the tables of all settings into deploy/README.md: `npm run docs:settings`.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format } from 'oxfmt'
import { listSettings, type Setting } from '../src/settings/read-settings.ts'
import { SETTINGS } from '../src/settings/settings.ts'

const FILE = fileURLToPath(new URL('../deploy/README.md', import.meta.url))
const [BEGIN, END] = ['<!-- npm run docs:settings -->\n', '<!-- end of the settings -->\n']
const OWN_TABLE: readonly string[] = ['serve', 'agent']

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const readme = readFileSync(FILE, 'utf8')
  const before = readme.slice(0, readme.indexOf(BEGIN) + BEGIN.length)
  const after = readme.slice(readme.indexOf(END))
  writeFileSync(FILE, before + (await renderSettings()) + after)
}

/** The tables as they stand in Markdown, in the form that the formatter gives them. */
export async function renderSettings(): Promise<string> {
  const own = OWN_TABLE.map((command) => {
    const rows = settingsOf(command).map(rowOf)
    return `### \`cairn ${command}\`\n\n${table(['flag', 'variable', 'default', 'meaning'], rows)}`
  })
  const others = Object.keys(SETTINGS).filter((command) => !OWN_TABLE.includes(command))
  const rest = table(
    ['command', 'settings of `serve` that it takes', 'its own'],
    others.map(rowOfCommand),
  )
  const text = [...own, `### Other commands\n\n${rest}`].join('\n')
  const { code } = await format('settings.md', text)
  return `\n${code}\n`
}

/** The part of a README between its marks. */
export function settingsIn(readme: string): string {
  return readme.slice(readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END))
}

function settingsOf(command: string): Setting[] {
  const schema = Object.entries(SETTINGS).find(([name]) => name === command)?.[1]
  return schema ? listSettings(schema) : []
}

function rowOf({ flag, variable, preset, isRequired, meaning }: Setting): string[] {
  const without = preset === null ? (isRequired ? 'required' : 'none') : `\`${preset}\``
  return [`\`${flag}\``, `\`${variable}\``, without, meaning]
}

function rowOfCommand(command: string): string[] {
  const known = new Set(settingsOf('serve').map(({ flag }) => flag))
  const settings = settingsOf(command)
  const shared = settings.filter(({ flag }) => known.has(flag)).map(({ flag }) => `\`${flag}\``)
  const own = settings.filter(({ flag }) => !known.has(flag))
  const described = own.map(({ flag, meaning }) => `\`${flag}\`: ${meaning}`)
  return [`\`${command}\``, shared.join(', '), described.join('; ')]
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headings, headings.map(() => '---'), ...rows].map(lineOf).join('')
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}
