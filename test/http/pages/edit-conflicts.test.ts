import { describe, expect, it } from 'vitest'
import { save } from '../../support/service/saving.ts'
import {
  BASE,
  md5,
  serviceAt,
  submit,
  currentOf,
  textIn,
} from '../../support/pages/editor-forms.ts'

describe('an edit that others overtook', () => {
  const mine = BASE.replace('alpha.git', 'mine.git').replace('gamma.git', 'also-mine.git')

  it('is merged when it touches other lines, and says whose changes it is merged with', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('beta.git', 'theirs.git'))

    const preview = await (await submit(service, { xml: mine, action: 'preview' })).text()
    const saved = await submit(service, { xml: mine, action: 'save' })

    expect(preview).toContain('admin saved r3 while you were editing')
    expect(saved.status).toBe(303)
    expect(await currentOf(service)).toBe(mine.replace('beta.git', 'theirs.git'))
  })

  it('shows both sides of each conflict and what merged, and keeps the text', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('alpha.git', 'theirs.git'))

    const response = await submit(service, { xml: mine, action: 'save' })
    const html = await response.text()

    expect(response.status).toBe(409)
    expect(html).toContain('Keep mine')
    expect(html).toContain('Take admin’s (r3)')
    expect(html).toContain('theirs.git')
    expect(html).toContain('1 of your 2 changes merged cleanly')
    expect(textIn(html).replaceAll('\r\n', '\n')).toBe(mine)
    expect(await currentOf(service)).toContain('theirs.git')
  })

  it.each([
    ['ours', mine],
    ['theirs', mine.replace('mine.git', 'theirs.git')],
  ] as const)('is saved by the choice %s', async (choice, expected) => {
    const service = await serviceAt()
    const theirs = BASE.replace('alpha.git', 'theirs.git')
    await save(service, theirs)

    const response = await submit(service, {
      xml: mine,
      against: md5(theirs),
      'choice-0': choice,
      action: 'save',
    })

    expect(response.status).toBe(303)
    expect(await currentOf(service)).toBe(expected)
  })

  it('asks again when no side was chosen', async () => {
    const service = await serviceAt()
    const theirs = BASE.replace('alpha.git', 'theirs.git')
    await save(service, theirs)

    const response = await submit(service, { xml: mine, against: md5(theirs), action: 'save' })

    expect(response.status).toBe(409)
    expect(await response.text()).toContain('Choose one side')
    expect(await currentOf(service)).toBe(theirs)
  })

  it(
    'marks the conflict without a choice, keeps the other choice, and saves nothing',
    { tags: ['long'] },
    async () => {
      const service = await serviceAt()
      const theirs = BASE.replace('alpha.git', 'theirs.git').replace('gamma.git', 'theirs-too.git')
      await save(service, theirs)
      const fields = { xml: mine, against: md5(theirs), action: 'save' }

      const first = await submit(service, { ...fields, 'choice-0': 'theirs' })
      const html = await first.text()
      const last = await submit(service, { ...fields, 'choice-1': 'ours' })
      const both = await submit(service, { ...fields, 'choice-0': 'theirs', 'choice-1': 'ours' })

      expect([first.status, last.status, both.status]).toEqual([409, 409, 303])
      expect(html).toContain('<a href="#conflict-1">conflict 2</a>')
      expect(html).not.toContain('<a href="#conflict-0">')
      expect(html).toMatch(/<fieldset id="conflict-1" class="unanswered"/)
      expect(html).toMatch(/name="choice-0" value="theirs" checked/)
      expect(await last.text()).toMatch(/<fieldset id="conflict-0" class="unanswered"/)
      expect(await currentOf(service)).toBe(
        mine.replace('mine.git', 'theirs.git').replace('also-theirs.git', 'also-mine.git'),
      )
    },
  )

  it('is merged where it adds a job in front of one that somebody has changed', async () => {
    const service = await serviceAt()
    const added = '<job name="lint"><tasks><exec command="lint" /></tasks></job>\n          '
    const job = '<job name="unit">'
    await save(service, BASE.replace(job, '<job name="unit" timeout="13">'))

    const saved = await submit(service, { xml: BASE.replace(job, added + job), action: 'save' })

    expect(saved.status).toBe(303)
    const expected = BASE.replace(job, `${added}<job name="unit" timeout="13">`)
    expect(await currentOf(service)).toBe(expected)
  })

  it('names what each choice takes back', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('alpha.git"', 'alpha.git" branch="theirs"'))
    const xml = BASE.replace('alpha.git"', 'alpha.git" branch="mine"')

    const html = await (await submit(service, { xml, action: 'save' })).text()

    const [ours = '', theirs = ''] = html.split('<div class="side box">').slice(1)
    expect(ours).toMatch(/Reverts admin’s \(r3\):.*branch.*theirs/s)
    expect(theirs).toMatch(/Reverts mine:.*branch.*mine/s)
  })

  it('keeps both where both have added a task at one place', async () => {
    const service = await serviceAt()
    const last = '<exec command="make" />'
    const withTask = (name: string) =>
      BASE.replace(last, `${last}\n              <exec command="${name}" />`)
    const [xml, theirs] = [withTask('mine'), withTask('theirs')]
    await save(service, theirs)

    const shown = await (await submit(service, { xml, action: 'save' })).text()
    const fields = { xml, against: md5(theirs), action: 'save' }
    const saved = await submit(service, { ...fields, 'choice-0': 'both' })

    expect(shown).toContain('name="choice-0" value="both"')
    expect(saved.status).toBe(303)
    const task = '\n              <exec command="mine" />'
    expect(await currentOf(service)).toBe(
      theirs.replace('<exec command="theirs" />', `<exec command="theirs" />${task}`),
    )
  })

  it('keeps the text also when the revision that it began from is no longer there', async () => {
    const service = await serviceAt()

    const response = await submit(service, { xml: mine, basedOn: md5('never'), action: 'save' })

    expect(response.status).toBe(412)
    expect(textIn(await response.text()).replaceAll('\r\n', '\n')).toBe(mine)
  })
})
