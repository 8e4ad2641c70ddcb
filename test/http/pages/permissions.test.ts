import { describe, expect, it } from 'vitest'
import { EntityForm } from '../../support/pages/entity-forms.ts'
import { save } from '../../support/service/saving.ts'
import { type CalledService, openService } from '../../support/service/service.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'
import { PermissionsBody } from '../../../src/wire/identity-bodies.ts'

/** Each entry has a line of its own. */
const DOCUMENT = `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="75">
  <server>
    <security>
      <roles>
        <role name="crew"><users><user>Someone</user><user>olga</user></users></role>
        <role name="guests"><users><user>gus</user></users></role>
      </roles>
      <admins>
        <user>admin</user>
      </admins>
    </security>
  </server>
  <pipelines group="shop">
    <authorization>
      <view>
        <role>crew</role>
        <user>olga</user>
      </view>
      <operate>
        <role>crew</role>
      </operate>
      <admins>
        <user>olga</user>
      </admins>
    </authorization>
    <pipeline name="cart">
      <materials><git url="https://example.org/cart.git" /></materials>
      <stage name="build">
        <jobs><job name="unit"><tasks><exec command="make" /></tasks></job></jobs>
      </stage>
      <stage name="ship">
        <approval type="manual">
          <authorization>
            <user>someone</user>
          </authorization>
        </approval>
        <jobs><job name="send"><tasks><exec command="make" /></tasks></job></jobs>
      </stage>
    </pipeline>
  </pipelines>
  <pipelines group="open">
    <pipeline name="free">
      <materials><git url="https://example.org/free.git" /></materials>
      <stage name="build">
        <jobs><job name="unit"><tasks><exec command="make" /></tasks></job></jobs>
      </stage>
    </pipeline>
  </pipelines>
</cruise>
`
/** Guests may view in the place of the crew. */
const LATER = DOCUMENT.replace(
  '<view>\n        <role>crew</role>',
  '<view>\n        <role>guests</role>',
)
const SIZE_OF_TABLE = 25

async function configured(...documents: readonly string[]): Promise<CalledService> {
  const service = await openService()
  await addSomeone(service)
  for (const document of documents) expect((await save(service, document)).status).toBe(200)
  return service
}

async function pageOf(service: CalledService, path: string): Promise<string> {
  const answer = await service.fetch(path)
  expect(answer.status).toBe(200)
  return answer.text()
}

/** The rows of the table without markup, by what stands at their beginning. */
function rowsOf(html: string): Record<string, string> {
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(html) ?? []
  return Object.fromEntries(
    Array.from(body.matchAll(/<tr>(.*?)<\/tr>/gs), ([, row = '']) => {
      const [, head = '', ...cells] = row.split(/<t[hd][^>]*>/)
      return [plain(head), cells.map(plain).join(' | ')] as const
    }),
  )
}

function plain(html: string): string {
  const shown = html.replaceAll(/<(b|span) class="(column-name|visually-hidden)">.*?<\/\1>/gs, '')
  return shown
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The text of each link to a line, with the line itself. */
async function linkedLines(service: CalledService, html: string): Promise<[string, string][]> {
  const raw = await service.fetch('/api/admin/config.xml')
  const lines = (await raw.text()).split('\n')
  const links = html.matchAll(
    /href="\/config\/r2\?line=(\d+)#L\1" title="\w+: (.*?) \(line \1\)[^"]*"/g,
  )
  return Array.from(links, ([, line, said = '']) => [said, (lines[Number(line) - 1] ?? '').trim()])
}

describe('/permissions', () => {
  it('folds people into their roles, and marks what those may do in groups', async () => {
    const service = await configured(DOCUMENT)

    const html = await pageOf(service, '/permissions')

    expect(rowsOf(html)).toEqual({
      'Every user': '– | V O',
      'role crew 2 users someone olga': 'V O | V O',
      'role guests 1 user gus': '– | V O',
      admin: expect.stringMatching(
        /^Administrator: user admin in admins of the server \( ?line 10/,
      ),
      'olga crew no account': 'V O A 1 stage | V O',
      'someone crew': 'V O 1 stage | V O',
    })
    expect(html).toContain('<a href="/users/someone">someone</a>')
    expect(html).toMatch(/>shop<wbr\/?><\/a>/)
    expect(html).toContain('aria-label="operate: role crew in operate of the group shop (line 21)"')
  })

  it('finds a person, with each reason and the line that gives it', async () => {
    const service = await configured(DOCUMENT)

    const html = await pageOf(service, '/permissions?q=o')
    const guest = await pageOf(service, '/permissions?q=gus')
    const api = await service.fetch('/api/permissions?user=someone')
    const { permissions } = PermissionsBody.parse(await api.json())

    expect(Object.keys(rowsOf(html))).toEqual(['olga crew no account', 'someone crew'])
    expect(rowsOf(guest)).toEqual({ 'gus guests no account': '– | V O' })
    const linked = await linkedLines(service, html)
    expect(Object.fromEntries(linked)).toEqual({
      'user olga in admins of the group shop': '<user>olga</user>',
      'role crew in view of the group shop': '<role>crew</role>',
      'role crew in operate of the group shop': '<role>crew</role>',
      'the group open has no authorization': '<pipelines group="open">',
    })
    const reasons = permissions.flatMap(({ because }) => because)
    const [, own = ''] = /someone<\/a>(.*?)<\/tr>/s.exec(html) ?? []
    for (const [said] of await linkedLines(service, own)) expect(reasons).toContain(said)
  })

  it('has the stages of one group that name their approvers, and who may do something there', async () => {
    const service = await configured(DOCUMENT)

    const html = await pageOf(service, '/permissions?group=shop')
    const rows = rowsOf(html)

    expect(rows).toEqual({
      admin: expect.stringMatching(/^Administrator/),
      'olga crew no account': 'V O A | O',
      'someone crew': 'V O | O',
      'role crew 2 users someone olga': 'V O | –',
    })
    expect(html).toContain('operate: user someone in approval of the stage cart/ship (line 35)')
    expect(html).toContain('2 other users have no permissions here.')
    expect((await service.fetch('/permissions?group=none')).status).toBe(404)
  })

  it('has any revision, and what people gain and lose between two, with both lines', async () => {
    const service = await configured(DOCUMENT, LATER)

    const former = rowsOf(await pageOf(service, '/permissions?revision=r2&q=someone'))
    const now = rowsOf(await pageOf(service, '/permissions?q=someone'))
    const changes = rowsOf(await pageOf(service, '/permissions?from=r2&revision=r3'))
    const back = rowsOf(await pageOf(service, '/permissions?from=r3&revision=r2&q=someone'))

    expect([former, now].map(Object.values)).toEqual([['V O 1 stage | V O'], ['O 1 stage | V O']])
    const lost =
      'nothing | view group shop in r2: role crew in view of the group shop ( line 17 ) ; not in r3 ( line 14 )'
    const gained =
      'view group shop in r3: role guests in view of the group shop ( line 17 ) ; not in r2 ( line 14 ) | nothing'
    expect(changes).toEqual({
      'role crew 2 users someone olga': lost,
      'role guests 1 user gus': gained,
    })
    expect(Object.values(back)[0]).toMatch(/^view group shop in r2: role crew .* \| nothing$/)
    expect((await service.fetch('/permissions?revision=r9')).status).toBe(404)
    expect((await service.fetch('/permissions', { as: SOMEONE })).status).toBe(403)
  })

  it('offers each role on the page of a user, with what it gives, and adds the user', async () => {
    const service = await configured(DOCUMENT)

    const user = await pageOf(service, '/users/someone')
    const preview = await EntityForm.open(
      service,
      '/config/edit/role/guests?add=member&user=someone',
    )
    const saved = await preview.send('save')
    const after = await pageOf(service, '/users/someone')
    const again = await EntityForm.open(service, '/config/edit/role/guests?add=member&user=Someone')

    expect(rowsOf(user)).toEqual({
      crew: 'V view shop O operate shop | yes',
      guests: 'nothing beyond what every user can do | Add…',
    })
    expect(user).toContain('href="/config/edit/role/guests?add=member&amp;user=someone"')
    expect(plain(preview.html)).toContain('role guests added user someone')
    expect(saved.status).toBe(303)
    expect(rowsOf(after)['guests']).toMatch(/yes$/)
    expect(plain(again.html)).toContain('Someone is in the role guests already.')
    const document = await (await service.fetch('/api/admin/config.xml')).text()
    expect(document).toContain('<users><user>gus</user><user>someone</user></users>')
  })

  it('has pages of people and of groups, and what a user may do beside the user', async () => {
    const names = Array.from({ length: SIZE_OF_TABLE }, (_, n) => `u${n + 10}`)
    const users = names.map((name) => `<user>${name}</user>`).join('')
    const roles = names.map((name) => `<role name="role-${name}" />`).join('')
    const groups = names.map((name) => `<pipelines group="group-${name}" />`).join('')
    const service = await configured(
      DOCUMENT.replace('<user>gus</user>', users)
        .replace('</roles>', `${roles}</roles>`)
        .replace('</cruise>', `${groups}</cruise>`),
    )

    const first = await pageOf(service, '/permissions')
    const second = await pageOf(service, '/permissions?offset=25&column=20')
    const user = await pageOf(service, '/users/someone')

    expect(Object.keys(rowsOf(first))).toHaveLength(SIZE_OF_TABLE)
    expect(first).toContain('1 to 25 of 31')
    expect(first).toContain('1 to 10 of 27')
    expect(Object.keys(rowsOf(second))).toContain('olga crew no account')
    expect(second).toContain('21 to 27 of 27')
    const [, own = ''] = /<h2>Permissions<\/h2>(.*?)<\/section>/s.exec(user) ?? []
    expect(plain(own)).toMatch(
      /shop view : role crew in view of the group shop \( line 17 \) operate : .* cart\/ship operate : user someone/,
    )
  })
})
