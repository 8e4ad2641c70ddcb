import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { edited, GUARDED, TWO_EYES } from '../support/gate/guarded-document.ts'
import { GuardedService } from '../support/gate/guarded-service.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { command } from '../support/programs/command.ts'
import { ask, proposeLabel } from '../support/proposals/proposing.ts'
import { saveRevisions } from '../support/service/saved-revisions.ts'
import { save } from '../support/service/saving.ts'
import { securedDocument } from '../support/service/secured-document.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { openService } from '../support/service/service.ts'

async function report(repository: string, ...flags: readonly string[]): Promise<string> {
  return (await command(['report', '--config-repo', repository, ...flags])).stdout
}

/** The guarded document with another goal of its pipeline. */
function goal(to: string, document = GUARDED): string {
  return edited(/(?<=name="goal">)[^<]*/, to, document)
}

describe('cairn report', () => {
  it('has who asked for a change and approved it, equal from a clone', async () => {
    const service = await openService()
    await secure(service)
    await proposeLabel(service, 'viewer', 'told')
    const approved = await ask(service, 'owner', '/1/approve', {})
    await ask(service, 'root', '/1/merge', {})
    const agents =
      '  <agents>\n    <agent hostname="b" ipaddress="1.1.1.1" uuid="u1" />\n  </agents>\n'
    const current = await service.fetch('/api/admin/config.xml', { as: loginOf('root') })
    await save(
      service,
      (await current.text()).replace('</cruise>', `${agents}</cruise>`),
      loginOf('root') ?? '',
    )
    const clone = tempDir()
    git(clone, 'clone', '--quiet', service.repository, '.')
    const digest = approved.body.approvals[0]?.digest

    const ofGroup = JSON.parse(await report(clone, '--json', '--entity', 'group/first'))

    expect(ofGroup.at(-1)).toMatchObject({
      author: 'viewer',
      subject: 'Label told',
      proposal: 1,
      mergedBy: 'root',
      approvals: [{ by: 'owner', digest }],
      overrides: [],
    })
    for (const form of ['--json', '--csv']) {
      expect(await report(clone, form)).toBe(await report(service.repository, form))
    }
    const page = async (query: string) =>
      (await service.fetch(`/report?since=&${query}`, { as: loginOf('root') })).text()
    expect(await page('as=text')).toBe(await report(clone))
    expect(await page('as=csv')).toBe(await report(clone, '--csv'))
    expect(await page('as=json')).toBe(await report(clone, '--json'))
    expect(await page('as=json&entity=group/first')).toBe(
      await report(clone, '--json', '--entity', 'group/first'),
    )
    expect(JSON.parse(await page('as=json&until=2001-01-01'))).toEqual([])
    expect(await page('')).toMatch(/viewer.*Label told.*proposals\/1.*merged by root.*owner/s)
    const refused = await service.fetch('/report?as=pdf', { as: loginOf('root') })
    expect(refused.status).toBe(400)
    expect(await report(clone)).toContain(`approved by owner: ${digest}`)
    expect(await report(clone)).toContain('  proposal: 1\n  merged by root\n')
    expect(await report(clone, '--csv')).toMatch(/^time,commit,author,subject.*,merged$.*,root$/ms)
    expect(JSON.parse(await report(clone, '--json', '--until', '2001-01-01'))).toEqual([])
    expect(securedDocument()).not.toContain('told')
  })

  it('has words in place of the record of facts that the original wrote', async () => {
    const folder = tempDir()
    git(folder, 'init', '--quiet', '-b', 'master')
    writeFileSync(join(folder, 'config.xml'), documentWith('web'))
    git(folder, 'add', 'config.xml')
    const facts = 'schema_version:75|go_edition:OpenSource|go_version:15.2.0(2248-c1f90a6aa3192a)'
    const record = `user:Gunnar|timestamp:1450718883389|${facts}|md5:338bf1eb0477fdcf1391cc48571ef190`
    git(folder, 'commit', '--quiet', '-m', record)

    const told = await report(folder)

    expect(told).toContain('Gunnar: Configuration changed')
    expect(told).not.toContain('timestamp')
  })

  it('refuses a name of the file that no commit has, as a typing error', async () => {
    const service = await openService()

    const flags = ['--config-repo', service.repository, '--config-file', 'confg.xml']
    const { code, stdout, stderr } = await command(['report', ...flags])

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe('cairn: No commit has confg.xml: the name of the file may be wrong\n')
  })

  it('tells the changes of a quarter to a group, with who asked, approved and overrode, by one command', async () => {
    let now = Date.parse('2026-05-04T08:00:00Z')
    const at = (day: string) => (now = Date.parse(day))
    const guarded = await GuardedService.open(() => now)
    await guarded.put(goal('spring'))
    const rules = `${TWO_EYES}    override: { by: user/rick, reason: required }\n`
    await guarded.rules(rules)

    at('2026-07-01T00:00:00Z')
    const document = goal('summer')
    const number = await guarded.propose('ann', { document, message: 'As agreed' })
    await guarded.must('abe', number, 'approve')
    await guarded.must('ann', number, 'merge')
    at('2026-08-03T09:00:00Z')
    await guarded.put(edited('shop.git', 'x.git', document))
    at('2026-09-30T21:00:00Z')
    const override = { 'x-cairn-override': 'two-eyes', 'x-cairn-message': 'outage' }
    const last = goal('autumn', edited('shop.git', 'x.git', document))
    expect((await guarded.put(last, { as: 'rick', headers: override })).status).toBe(200)
    at('2026-10-01T08:00:00Z')
    await guarded.freely(rules, () => guarded.put(goal('winter', last)))

    const clone = tempDir()
    git(clone, 'clone', '--quiet', guarded.service.repository, '.')
    const quarter = ['--since', '2026-07-01', '--until', '2026-09-30', '--entity', 'group/pay']
    const told = await report(clone, ...quarter, '--csv')
    const rows = JSON.parse(await report(clone, ...quarter, '--json'))

    expect(rows).toMatchObject([
      {
        time: '2026-07-01T00:00:00.000Z',
        author: 'ann',
        reason: 'As agreed',
        proposal: number,
        mergedBy: null,
        approvals: [{ by: 'abe' }],
        overrides: [],
      },
      {
        author: 'rick',
        reason: 'outage',
        approvals: [],
        overrides: [{ by: 'rick', rule: 'two-eyes' }],
      },
    ])
    expect(told.trim().split('\n')).toHaveLength(3)
    const query = 'since=2026-07-01&until=2026-09-30&entity=group/pay'
    for (const [as, ...flags] of [['text'], ['csv', '--csv'], ['json', '--json']]) {
      const page = await guarded.call(`/report?${query}&as=${as}`)
      expect(page.text).toBe(await report(clone, ...quarter, ...flags))
    }
  })

  it('follows an entity under its former names, and a group with what came into it, as the page does', async () => {
    const service = await openService()
    const first = documentWith('checkout', 'billing')
    const other = first.replace('checkout.git', 'c2.git')
    const till = other.replace('"checkout"', '"till"')
    const made = [first, other, till, till.replace('billing.git', 'b2.git')]
    const moved = (made[3] ?? '').replace(
      /( *<pipeline name="billing">[^]*?<\/pipeline>\n)( *<\/pipelines>\n)/,
      '$2  <pipelines group="second">\n$1$2',
    )
    const renamed = moved.replace('group="second"', 'group="other"')
    await saveRevisions(service, ...made, moved, renamed)

    const seen: [string, string[]][] = []
    for (const entity of ['pipeline/till', 'pipeline/billing', 'group/other', 'group/first']) {
      const rows = await report(service.repository, '--json', '--entity', entity)
      const page = await service.fetch(`/report?since=&as=json&entity=${entity}`)
      expect([entity, JSON.parse(await page.text())]).toEqual([entity, JSON.parse(rows)])
      seen.push([entity, JSON.parse(rows).map(({ subject }: { subject: string }) => subject)])
    }
    expect(seen.map(([entity, subjects]) => [entity, subjects.length])).toEqual([
      ['pipeline/till', 3],
      ['pipeline/billing', 3],
      ['group/other', 4],
      ['group/first', 5],
    ])
  })
})
