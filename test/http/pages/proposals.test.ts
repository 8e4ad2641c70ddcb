import { describe, expect, it } from 'vitest'
import { git } from '../../support/git/git.ts'
import { ask, labelled, proposeLabel } from '../../support/proposals/proposing.ts'
import type { Role } from '../../support/service/secured-document.ts'
import { loginOf, secure } from '../../support/service/secured-service.ts'
import { type CalledService, openService } from '../../support/service/service.ts'

async function pageOf(service: CalledService, role: Role, path: string): Promise<string> {
  return (await service.fetch(path, { as: loginOf(role) })).text()
}

function press(service: CalledService, role: Role, fields: Readonly<Record<string, string>>) {
  const init = { method: 'POST', body: new URLSearchParams(fields), as: loginOf(role) }
  return service.fetch('/proposals/1', init)
}

describe('the pages of proposals', () => {
  it('list those that the reader may view, and lead from a review to a merge by forms', async () => {
    const service = await openService()
    await secure(service)
    await proposeLabel(service, 'viewer', 'page')

    expect(await pageOf(service, 'owner', '/proposals')).toContain('Label page')
    expect(await pageOf(service, 'stranger', '/proposals')).toContain('No open proposals.')
    expect(await pageOf(service, 'owner', '/proposals?waiting-for=me')).toContain('Label page')
    const ofAuthor = await pageOf(service, 'viewer', '/proposals?waiting-for=me')
    expect(ofAuthor).toContain('No proposals are waiting for you.')
    expect(ofAuthor).not.toContain('Label page')
    const before = await pageOf(service, 'viewer', '/proposals/1')
    expect(before).toContain('reaches beyond what viewer administers')
    expect(before).toContain('labeltemplate')
    expect(before).not.toContain('value="merge"')
    expect(before).not.toContain('passwordFile')
    expect(before).toMatch(/<a class="button" href="#decide">Review<.*<form [^>]*id="decide"/s)

    const approved = await press(service, 'owner', { action: 'approve', version: '1', text: 'Ok' })
    expect([approved.status, approved.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/proposals\/1\?/),
    ])
    const after = await pageOf(service, 'viewer', '/proposals/1')
    expect(after).toContain('value="merge"')
    expect(after).toMatch(/owner.*Approved.*Ok/s)

    expect((await press(service, 'viewer', { action: 'comment', text: 'Thanks' })).status).toBe(303)
    expect((await press(service, 'viewer', { action: 'merge' })).status).toBe(303)
    expect(await pageOf(service, 'viewer', '/proposals/1')).toMatch(/Merged.*Thanks/s)
    expect((await ask(service, 'viewer', '/1')).body.state).toBe('merged')
    expect(await pageOf(service, 'root', '/proposals/1')).toContain(
      'as <a href="/config/r3">r3</a>',
    )
    expect(await pageOf(service, 'viewer', '/proposals/1')).toMatch(
      /by viewer, [^]*<\/time>, as r3</,
    )
    expect(await pageOf(service, 'root', '/config/r3')).toContain('Label page')
  })

  it('keep the text of a decision that is refused, also when there is nothing left to decide', async () => {
    const service = await openService()
    await secure(service)
    await proposeLabel(service, 'viewer', 'page')
    const decision = { action: 'comment', text: 'A long thought', entity: 'pipeline/hello' }

    const refused = await press(service, 'owner', { ...decision, line: 'ten' })
    const again = await refused.text()
    await press(service, 'viewer', { action: 'close' })
    const late = await press(service, 'owner', { ...decision, action: 'approve', version: '1' })

    expect([refused.status, late.status]).toEqual([400, 409])
    expect(again).toMatch(/<textarea name="text"[^>]*>A long thought<\/textarea>/)
    expect(again).toContain('value="pipeline/hello" selected')
    expect(again).toMatch(/<input type="number" name="line"[^>]* aria-invalid="true"/)
    expect(await late.text()).toMatch(/<h2>Your text<\/h2>\s*<p>A long thought</)
  })

  it('list fifty at a time, and calls as many as they ask for', async () => {
    const service = await openService()
    await secure(service)
    for (let n = 1; n <= 51; n += 1) await proposeLabel(service, 'owner', `n${n}`)

    const first = await pageOf(service, 'owner', '/proposals')
    const second = await pageOf(service, 'owner', '/proposals?offset=50')

    expect(first).toContain('1 to 50 of 51')
    expect(first.match(/Label n\d+</g)).toHaveLength(50)
    expect(first).toContain('href="/proposals?offset=50"')
    expect(second.match(/Label n\d+</g)).toEqual(['Label n1<'])
    const listed = await ask(service, 'owner', '?offset=1&limit=2')
    expect(listed.body).toMatchObject([{ number: 50 }, { number: 49 }])
    expect(listed.body).toHaveLength(2)
    expect((await ask(service, 'owner', '?offset=x')).status).toBe(400)
  })

  it('say once what is title and message', async () => {
    const service = await openService()
    await secure(service)
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('page') }]
    const title = 'A label for all'
    await ask(service, 'viewer', '', { title, message: title, entities })
    await ask(service, 'viewer', '', { title, message: 'Asked for by Ana', entities })

    const [same, other] = [
      await pageOf(service, 'viewer', '/proposals/1'),
      await pageOf(service, 'viewer', '/proposals/2'),
    ]

    expect(same.split(title)).toHaveLength(2)
    expect(other).toMatch(/A label for all[^]*Asked for by Ana/)
  })

  it('are linked by their entries of the audit log', async () => {
    const service = await openService()
    await secure(service)
    await proposeLabel(service, 'viewer', 'logged')
    await press(service, 'owner', { action: 'approve', version: '1' })

    const page = await pageOf(service, 'root', '/audit')

    expect(page).toContain('Proposed <a href="/proposals/1">a change (proposal 1)</a>')
    expect(page).toContain('Approved proposal <a href="/proposals/1">1</a>')
  })

  it('show what has changed since a version, and take comments on entities and lines', async () => {
    const service = await openService()
    await secure(service)
    await proposeLabel(service, 'viewer', 'first')
    const about = { action: 'comment', text: 'Why?', entity: 'pipeline/hello', line: '4' }
    expect((await press(service, 'owner', about)).status).toBe(303)
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('second') }]
    await ask(service, 'viewer', '/1/update', { entities })

    const page = await pageOf(service, 'owner', '/proposals/1')
    const since = await pageOf(service, 'owner', '/proposals/1?since=1')

    expect(page).toContain('Version 1, which you saw last')
    expect(page).toMatch(/owner.*on pipeline hello, line 4: Why\?/s)
    expect(page).not.toContain('first-')
    expect(since).toMatch(/first-.*second-/s)
    expect((await service.fetch('/proposals/1?since=7', { as: loginOf('owner') })).status).toBe(400)
  })

  it('say why an action is refused, on the same page', async () => {
    const service = await openService()
    await secure(service)
    await proposeLabel(service, 'viewer', 'page')

    const outdated = await press(service, 'owner', { action: 'approve', version: '2' })
    const merge = await press(service, 'viewer', { action: 'merge' })

    expect(outdated.status).toBe(409)
    expect(await outdated.text()).toContain('has a newer version: 1')
    expect(merge.status).toBe(403)
    expect((await service.fetch('/proposals/1', { as: loginOf('stranger') })).status).toBe(404)
  })

  it('merge the version that was seen, with the words that were typed', async () => {
    const service = await openService()
    await secure(service)
    await proposeLabel(service, 'viewer', 'seen')
    const entities = [{ kind: 'pipeline', name: 'hello', xml: labelled('unseen') }]
    await ask(service, 'viewer', '/1/update', { entities })
    const merge = (version: string) =>
      press(service, 'owner', { action: 'merge', version, text: 'As agreed on Monday' })

    const outdated = await merge('1')
    const merged = await merge('2')

    expect([outdated.status, merged.status]).toEqual([409, 303])
    expect(await outdated.text()).toContain('has a newer version: 2')
    expect(git(service.repository, 'log', '-1', '--format=%B')).toContain(
      '\n\nAs agreed on Monday\n',
    )
  })

  it('show conflicts by entity with both sides, and take a choice for each', async () => {
    const service = await openService()
    await secure(service)
    const save = async (label: string) => {
      const put = await service.fetch('/api/config/entities/pipeline/hello', {
        method: 'PUT',
        headers: { 'if-match': '*' },
        body: labelled(label),
        as: loginOf('root'),
      })
      expect(put.status).toBe(200)
    }
    await save('first')
    await proposeLabel(service, 'viewer', 'mine')
    await save('theirs')

    const page = await pageOf(service, 'viewer', '/proposals/1')
    const ofOthers = await pageOf(service, 'root', '/proposals/1')
    const against = /name="against" value="(\w+)"/.exec(page)?.[1] ?? ''
    const solve = (fields: Readonly<Record<string, string>>) =>
      press(service, 'viewer', { action: 'solve', against, version: '1', ...fields })
    const unsolved = await solve({})
    const solved = await solve({ 'choice-0': 'ours' })
    const late = await solve({ 'choice-0': 'theirs' })
    const { body } = await ask(service, 'viewer', '/1')

    expect(page).toMatch(/<legend>pipeline hello<\/legend>.*Keep mine.*mine-.*Take root.*theirs-/s)
    expect(ofOthers).toMatch(/Keep viewer’s.*Reverts root’s.*Take root’s.*Reverts viewer’s/s)
    expect([unsolved.status, solved.status, late.status]).toEqual([400, 303, 409])
    expect(await unsolved.text()).toContain('Choose a side of each conflict')
    expect(body).toMatchObject({
      version: 2,
      contributors: ['viewer'],
      conflicts: [],
      changes: [{ entity: 'pipeline/hello', text: expect.stringContaining('mine-') }],
    })
    expect(await pageOf(service, 'viewer', '/proposals/1')).not.toContain('name="against"')
  })
})
