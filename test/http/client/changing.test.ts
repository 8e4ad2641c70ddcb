import { describe, expect, it } from 'vitest'
import { aConfiguration } from '../../support/documents/a-configuration.ts'
import { shared } from '../../support/programs/at-end.ts'
import { ClientCommands } from '../../support/service/client-commands.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'

const ALPHA = { name: 'alpha' }
const BETA = { name: 'beta' }

function withPipelines(...pipelines: { readonly name: string }[]): string {
  return aConfiguration({ groups: [{ group: 'first', pipelines }] })
}

const opened = shared(async () => {
  const service = await startService()
  await save(service, withPipelines(ALPHA))
  return { service, client: new ClientCommands(service) }
})

async function current(): Promise<string> {
  return (await opened().service.fetch('/api/admin/config.xml')).text()
}

describe('the commands that change', () => {
  it('plan a file, in words and in Markdown, with exit code 4 where it changes something', async () => {
    const { client } = opened()
    const file = client.file('more.xml', withPipelines(ALPHA, BETA))
    const before = await current()

    const words = await client.run('plan', file, '--exit-code')
    const markdown = await client.run('plan', file, '--markdown')
    const same = await client.run('plan', client.file('same.xml', before), '--exit-code')

    expect([words.code, markdown.code, same.code]).toEqual([4, 0, 0])
    expect(words.stdout).toMatch(/^Changes:\n {2}pipeline\/beta: add pipeline beta/)
    expect(words.stdout).toMatch(/\nYou may save it\n$/)
    expect(markdown.stdout).toMatch(/^\*\*Changes\*\*\n\n- `pipeline\/beta: add pipeline beta/)
    expect(same.stdout).toBe('Nothing would change\n')
    expect(await current()).toBe(before)
  })

  it('plan with the reason that the save will have, where a rule asks for one', async () => {
    const { service, client } = opened()
    const rules = `version: 1\nrules: [{ name: why, need: [{ reason: required }] }]\n`
    const put = { method: 'PUT', headers: { 'if-none-match': '*' }, body: rules }
    const made = await service.fetch('/api/admin/rules.yaml', put)
    const file = client.file('why.xml', withPipelines(ALPHA, BETA))

    const without = await client.lines('plan', file)
    const reasoned = await client.lines('plan', file, '--message', 'A second one')
    await service.fetch('/api/admin/rules.yaml', {
      ...put,
      headers: { 'if-match': '*', 'x-cairn-message': 'No%20more' },
      body: 'version: 1\nrules: []\n',
    })

    expect(made.status).toBe(200)
    expect(without.at(-1)).toBe('You may save it with a reason: The rule why needs a reason')
    expect(reasoned.at(-1)).toBe('You may save it')
  })

  it('refuse a plan of what is not valid, with the place', async () => {
    const { client } = opened()
    const file = client.file('bad.xml', '<cruise schemaVersion="75">\n  <nonsense/>\n</cruise>\n')

    const { code, stdout } = await client.run('plan', file)

    expect(code).toBe(1)
    expect(stdout).toMatch(/^The configuration is not valid\nline 2:\d+: .*nonsense/)
  })

  it('save what began from a revision, and what others did meanwhile stays', async () => {
    const { client } = opened()
    const base = await client.lines('history', '--limit', '1')
    const number = /^r\d+/.exec(base[0] ?? '')?.[0] ?? ''
    const file = client.file('saved.xml', withPipelines(ALPHA, BETA))

    const saved = await client.run('save', file, '--base', number, '--message', 'A second one: ü')
    const [revision, reason] = await client.lines('history', '--limit', '1')

    expect([saved.code, saved.stderr]).toEqual([0, ''])
    expect(saved.stdout).toMatch(/^The configuration is saved: [0-9a-f]{32}\n$/)
    expect(revision).toContain('beta')
    expect(reason).toBe('    A second one: ü')
  })

  it('save one entity, and refuse what began from an older text', async () => {
    const { client } = opened()
    const { stdout } = await client.run('show', 'current', '--entity', 'pipeline/alpha', '--xml')
    const labelled = (label: string) =>
      client.file(
        'alpha.xml',
        stdout.replace('name="alpha"', `name="alpha" labeltemplate="${label}"`).trimEnd(),
      )
    const as = ['--entity', 'pipeline/alpha', '--message', 'Label it']
    const [before] = await client.lines('show', 'current')
    const base = /^r\d+/.exec(before ?? '')?.[0] ?? ''

    const first = await client.run('save', labelled('a-${COUNT}'), ...as, '--base', base)
    const second = await client.run('save', labelled('b-${COUNT}'), ...as, '--base', base)

    expect([first.code, first.stderr]).toEqual([0, ''])
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/^cairn: /)
    expect(await current()).toContain('labeltemplate="a-${COUNT}"')
  })

  it('take one revision back, one entity, and the whole', async () => {
    const { service, client } = opened()
    const before = await current()
    await save(service, withPipelines(ALPHA))
    const [newest] = await client.lines('history', '--limit', '1')
    const number = Number(/^r(\d+)/.exec(newest ?? '')?.[1])
    const why = ['--message', 'Too soon']

    const undone = await client.run('undo', `r${number}`, ...why)
    const afterUndo = await current()
    const entity = await client.run('rollback', 'r2', '--entity', 'pipeline/alpha', ...why)
    const afterEntity = await current()
    const whole = await client.run('rollback', `r${number}`, ...why)

    expect([undone.stderr, entity.stderr, whole.stderr]).toEqual(['', '', ''])
    expect(undone.stdout).toMatch(new RegExp(`^The changes of r${number} are undone: `))
    expect(afterUndo).toBe(before)
    expect(entity.stdout).toMatch(/^The pipeline alpha is restored: /)
    expect(afterEntity).toContain('beta')
    expect(afterEntity).not.toContain('labeltemplate')
    expect(await current()).toBe(withPipelines(ALPHA))
    const subjects = await client.lines('history', '--limit', '3')
    expect(subjects.filter((line) => line.startsWith('r')).join('\n')).toContain(
      'Restore pipeline alpha of r2 by admin',
    )
  })

  it('need no reason where no rule asks for one', async () => {
    const { service, client } = opened()
    await save(service, withPipelines(ALPHA))
    const file = client.file('both.xml', withPipelines(ALPHA, BETA))

    const saved = await client.run('save', file, '--base', 'current')
    const [newest] = await client.lines('history', '--limit', '1')
    const undone = await client.run('undo', newest?.split(' ', 1)[0] ?? '')
    const restored = await client.run('rollback', newest?.split(' ', 1)[0] ?? '')
    const entity = await client.run('rollback', 'r2', '--entity', 'pipeline/alpha')

    expect([saved, undone, restored, entity].map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(await current()).toBe(withPipelines(ALPHA, BETA))
  })

  it('undo with a conflict says what was changed again', async () => {
    const { service, client } = opened()
    await save(service, withPipelines(ALPHA, BETA))
    const [newest] = await client.lines('history', '--limit', '1')
    const number = /^r\d+/.exec(newest ?? '')?.[0] ?? ''
    await save(
      service,
      withPipelines(ALPHA, BETA).replace('name="beta"', 'name="beta" labeltemplate="x-${COUNT}"'),
    )

    const { code, stderr } = await client.run('undo', number, '--message', 'Too soon')

    expect(code).toBe(1)
    expect(stderr).toMatch(/^cairn: .*beta was changed again by admin in r\d+/)
  })

  it('propose entities, and approve', async () => {
    const { client } = opened()
    const file = client.file(
      'gamma.xml',
      '<pipeline name="gamma"><materials><git url="https://example.org/g.git"/></materials><stage name="s"><jobs><job name="j"><tasks><exec command="ls"/></tasks></job></jobs></stage></pipeline>',
    )

    const proposed = await client.run(
      'propose',
      `pipeline/gamma=${file}`,
      '--group',
      'first',
      '--base',
      'r2',
      '--title',
      'Gamma',
    )
    const approved = await client.run('approve', '1', '--message', 'Good')
    const missing = await client.run('approve', '9')

    expect([proposed.stderr, proposed.stdout]).toEqual([
      '',
      'Proposal 1, version 1, is open: Gamma\n  changes pipeline/gamma\n',
    ])
    expect([approved.code, approved.stdout]).toEqual([0, proposed.stdout])
    expect([missing.code, missing.stderr]).toEqual([1, 'cairn: There is no proposal 9\n'])
  })

  it('try rules on the history, with exit code 4 where they would have held something up', async () => {
    const { client } = opened()
    const rules =
      'version: 1\nrules:\n  - name: alpha\n    match: { entity: pipeline/alpha }\n    effect: deny\n'
    const file = client.file('rules.yaml', rules)

    const { code, stdout } = await client.run('rules', 'test', file, '--exit-code')
    const since = await client.run('rules', 'test', file, '--since', 'current')
    const bad = client.file('bad.yaml', rules.replace('effect', 'efect'))
    const refused = await client.run('rules', 'test', bad)

    expect(code).toBe(4)
    expect(stdout).toMatch(
      /^Would have held up (\d+) of \d+ changes\n {2}alpha: \1\n {2}by admin: \1\nr/,
    )
    expect(stdout).toMatch(/\nr2 .* Add pipeline alpha.* allows no change of pipeline\/alpha\n$/)
    expect(since.stdout).toMatch(/^Would have held up 0 of 0 changes\n/)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('did you mean "effect"'),
    ])
  })
})
