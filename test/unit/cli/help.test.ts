import { expect, it } from 'vitest'
import { agentInvite } from '../../../src/cli/commands/agent-invite.ts'
import { COMPLETIONS } from '../../../src/cli/completion.ts'
import { helpOf, helpOfAll } from '../../../src/cli/help.ts'
import { secrets } from '../../../src/cli/commands/secrets.ts'
import { state } from '../../../src/cli/commands/state.ts'
import { token } from '../../../src/cli/commands/token.ts'
import { user } from '../../../src/cli/commands/user.ts'
import { listSettings } from '../../../src/settings/read-settings.ts'
import { SETTINGS } from '../../../src/settings/settings.ts'
import { manualPage } from '../../../src/cli/commands/completion.ts'

it.each(Object.entries(SETTINGS))(
  'the help of cairn %s has each of its settings',
  (name, schema) => {
    const lines = helpOf(name)

    expect(lines[0]).toMatch(new RegExp(`^cairn ${name}`))
    for (const { flag, variable, meaning } of listSettings(schema)) {
      const line = lines.find((each) => each.startsWith(`  ${flag} `)) ?? ''
      expect(line).toContain(` ${variable} `)
      expect(line).toContain(meaning)
    }
  },
)

it('the help names each command once, and says what it does', () => {
  const names = helpOfAll().flatMap((line) => /^ {2}(\S.*?) {2,}[A-Z].*\.$/.exec(line)?.[1] ?? [])

  expect(names.toSorted()).toEqual(Object.keys(SETTINGS).toSorted())
})

it('the help of a command has its defaults, and what is part of it', () => {
  const [serve, agent] = [helpOf('serve').join('\n'), helpOf('agent').join('\n')]

  expect(serve).toMatch(/--port +CAIRN_PORT +port to listen on; 0 picks a free one \[8153\]/)
  expect(serve).not.toContain('[false]')
  expect(agent).toContain('cairn agent invite revoke ID')
})

it('the manual page has every call and setting, and no line that is taken for a request', () => {
  const page = manualPage('1.2.3')
  const shown = page.join('\n').replaceAll('\\-', '-')

  for (const [name, schema] of Object.entries(SETTINGS)) {
    expect(shown).toContain(`.B cairn ${helpOf(name)[0]?.replace('cairn ', '') ?? ''}`)
    for (const { flag, variable } of listSettings(schema)) {
      expect(shown).toContain(`\\fB${flag}\\fR, \\fI${variable}\\fR`)
    }
  }
  const requests = page.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ')[0])
  expect(new Set(requests)).toEqual(new Set(['.B', '.I', '.RE', '.RS', '.SH', '.TH', '.TP', '.TQ']))
})

it.each(['bash', 'zsh', 'fish'])('the completion of %s has every command and setting', (shell) => {
  const script = COMPLETIONS[shell]?.().join('\n') ?? ''

  for (const [name, schema] of Object.entries(SETTINGS)) {
    for (const word of name.split(' ')) expect(script).toContain(word)
    for (const { flag } of listSettings(schema))
      expect(script).toContain(shell === 'fish' ? `-l ${flag.slice(2)} ` : flag)
  }
})

const NOWHERE = ['--state-dir', '/nonexistent']

it.each([
  [user, ['add'], /^use user add NAME \| user passwd NAME/],
  [user, ['add', ...NOWHERE], /^use user add NAME/],
  [user, [...NOWHERE, 'add', 'one', 'two'], /^use user add NAME/],
  [user, ['list', 'one'], /^use user add NAME/],
  [token, ['create', ...NOWHERE], /^use token create NAME/],
  [token, ['revoke', 'one', 'two'], /^use token create NAME/],
  [state, ['dump', 'one'], /^use state dump \| state load FILE \| state load \| state check/],
  [state, ['load'], /^use state dump/],
  [secrets, [], /^use secrets rotate/],
  [secrets, ['rotate', 'all'], /^use secrets rotate/],
  [agentInvite, ['revoke'], /^use agent invite \| agent invite list/],
])('%o refuses %j with what it takes', async (command, args, line) => {
  await expect(command(args)).rejects.toThrow(line)
})

it.each([
  [user, ['list']],
  [token, ['revoke', 'one']],
  [state, ['check']],
  [agentInvite, ['revoke', 'one']],
])('%o finds its words before and after its settings: %j', async (command, words) => {
  const [verb = '', ...others] = words
  const endOf = async (args: readonly string[]) =>
    command(args).then(
      (code) => `ended with ${code}`,
      (error: Error) => error.message,
    )

  const first = await endOf([...words, ...NOWHERE])
  const last = await endOf([verb, ...NOWHERE, ...others])

  expect(first).not.toMatch(/^use /)
  expect(last).toBe(first)
})
