import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'

const ONE = documentWith('checkout', 'billing', 'shipping')
const MADE = ONE.replace('command="make"', 'command="ninja"')

async function withRevisions(...documents: readonly string[]): Promise<TestService> {
  const service = await startService()
  await saveRevisions(service, ...documents)
  return service
}

async function document(service: TestService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

/** Sends the form of a page as it stands there. */
async function confirm(service: TestService, path: string, reason = 'it worked') {
  const html = await pageOf(service, path)
  const current = await service.fetch('/api/admin/config.xml', { method: 'HEAD' })
  const basedOn = current.headers.get('x-service-config-md5') ?? ''
  const [, field = basedOn] = /name="basedOn" value="([^"]*)"/.exec(html) ?? []
  expect(field).toBe(basedOn)
  return { html, response: await sendForm(service, path, { basedOn, reason }) }
}

async function newestOf(service: TestService): Promise<unknown> {
  const list: unknown = await (await service.fetch('/config/feed.json')).json()
  return Array.isArray(list) ? list[0] : null
}

describe('the restore of one thing alone', () => {
  const path = '/config/entity/pipeline/checkout/restore/r2'

  it('brings it back as it was, and leaves what others changed since', async () => {
    const service = await withRevisions(ONE, MADE, MADE.replace('billing.git', 'invoices.git'))

    const { html, response } = await confirm(service, path)

    expect(html).toContain('Restore pipeline checkout as of r2')
    expect(html).toContain(
      'Changes only this pipeline, back to r2. Everything else stays. Saved as r5.',
    )
    expect(html).toMatch(/Changes 2 lines \(.*\) of .*>r4<.*, which is current/)
    expect(response.headers.get('location')).toMatch(/^\/config\/compare\/r4\/r5\?flash=/)
    expect(await document(service)).toBe(ONE.replace('billing.git', 'invoices.git'))
    expect(await newestOf(service)).toMatchObject({
      subject: 'Restore pipeline checkout of r2 by admin',
      message: 'it worked',
    })
  })

  it('takes a reason of several lines', async () => {
    const service = await withRevisions(ONE, MADE)

    const { html } = await confirm(service, path, 'It broke the checkout.\r\n\r\nSee INC-42.')

    expect(html).toMatch(/<textarea id="reason"[^>]*required/)
    expect(await newestOf(service)).toMatchObject({
      message: 'It broke the checkout.\n\nSee INC-42.',
    })
  })

  it('says what it starts and touches before it is confirmed', async () => {
    const service = await withRevisions(ONE, documentWith('checkout', 'shipping'))

    const html = await pageOf(service, '/config/entity/pipeline/billing/restore/r2')

    expect(html).toContain('When saved')
    expect(html).toContain('<dt>Pipelines</dt><dd>billing</dd>')
  })

  it('says what nobody acts on of the pipelines that it touches alone', async () => {
    const mingle = '<mingle baseUrl="https://example.org" projectIdentifier="x" />'
    const asking = ONE.replaceAll(/<pipeline name=.*>/g, (start) => start + mingle)
    const service = await withRevisions(asking, asking.replace('"make"', '"ninja"'))

    const html = await pageOf(service, path)

    expect(html).toMatch(/nobody here asks Mingle<[^>]*>: pipeline checkout \(line \d+\)</)
    expect(html).not.toContain('pipeline billing (line')
  })

  it('says nothing of what nobody acts on elsewhere, such as of the server', async () => {
    const purging = ONE.replace(
      '<pipelines ',
      '<server artifactsdir="artifacts" purgeStart="5.0" purgeUpto="12.0" />\n  <pipelines ',
    )
    const service = await withRevisions(purging, purging.replace('"make"', '"ninja"'))

    const html = await pageOf(service, path)

    expect(html).toContain('When saved')
    expect(html).not.toContain('<dt>Unsupported')
  })

  it('puts back what is gone, where it stood', async () => {
    const service = await withRevisions(ONE, documentWith('checkout', 'shipping', 'later'))

    await confirm(service, '/config/entity/pipeline/billing/restore/r2')

    expect(await document(service)).toBe(documentWith('checkout', 'billing', 'shipping', 'later'))
  })

  it('puts back its group too where that is gone', async () => {
    const other = ONE.replace('group="first"', 'group="other"').replaceAll('name="', 'name="x')
    const service = await withRevisions(ONE, other)

    await confirm(service, path)

    const text = await document(service)
    expect(text).toContain(
      '  <pipelines group="first">\n    <pipeline name="checkout">\n      <materials>\n',
    )
    expect(text).toContain('name="xbilling"')
  })

  it('follows it to the name that it had then', async () => {
    const renamed = MADE.replace('name="checkout"', 'name="cart"')
    const service = await withRevisions(ONE, MADE, renamed)

    await confirm(service, '/config/entity/pipeline/cart/restore/r2')

    expect(await document(service)).toBe(ONE)
  })

  it('is refused where the result is not valid, with the reason', async () => {
    const needed = ONE.replace(
      '<git url="https://example.org/billing.git" />',
      '<pipeline pipelineName="checkout" stageName="check" />',
    ).replace('<stage name="test">', '<stage name="check">')
    const service = await withRevisions(ONE, needed)

    const { html, response } = await confirm(service, path)

    expect(html).toContain('The result is not valid today')
    expect(html).toContain('disabled=""')
    expect(response.status).toBe(422)
    expect(await document(service)).toBe(needed)
  })

  it('says so where the revision does not have it', async () => {
    const service = await withRevisions(documentWith('billing'), ONE)

    const { html, response } = await confirm(service, path)

    expect(html).toContain('r2 has no pipeline checkout')
    expect(response.status).toBe(412)
  })

  it('is offered at each earlier step of a history, and of one that is gone', async () => {
    const service = await withRevisions(ONE, MADE, documentWith('billing'))

    const html = await pageOf(service, '/config/entity/pipeline/checkout')

    expect(html).toContain('href="/config/entity/pipeline/checkout/restore/r2"')
    expect(html).toContain('href="/config/entity/pipeline/checkout/restore/r3"')
    expect(html).not.toContain('href="/config/entity/pipeline/checkout/restore/r4"')
  })
})

function withMembers(...users: readonly string[]): string {
  const members = users.map((user) => `<user>${user}</user>`).join('')
  const roles = `<roles><role name="devs"><users>${members}</users></role></roles>`
  const admins = '<admins><user>admin</user></admins>'
  const security = `<security><passwordFile path="/u" />${roles}${admins}</security>`
  return ONE.replace('  <pipelines', `  <server>${security}</server>\n  <pipelines`)
}

/** A line with many attributes for each of 840 materials. */
function withMaterials(branch: string): string {
  const materials = Array.from({ length: 280 }, (_, n) => {
    const names = `materialName="m${n}" dest="d${n}" branch="${branch}"`
    return `<git url="https://example.org/${n}.git" ${names} autoUpdate="false" />`
  })
  return ONE.replaceAll(/<git [^>]*>/g, materials.join('\n        '))
}

describe('the page of a restore', () => {
  it('has the layouts of a comparison', async () => {
    const service = await withRevisions(ONE, MADE)

    const [split, unified] = await Promise.all(
      ['/config/r2/restore', '/config/r2/restore?view=unified'].map((path) =>
        pageOf(service, path),
      ),
    )

    expect(split).toContain('class="code split fitting"')
    expect(split).toContain('href="/config/r2/restore?view=unified#diff"')
    expect(unified).toContain('class="code unified"')
    expect(unified).toContain('href="/config/r2/restore?view=split#diff"')
  })

  it('says where there is nothing to restore', async () => {
    const service = await withRevisions(ONE, MADE, ONE)

    const [whole, entity] = await Promise.all(
      ['/config/r4/restore', '/config/entity/pipeline/checkout/restore/r2'].map((path) =>
        pageOf(service, path),
      ),
    )

    expect(whole).toContain('r4 is already current.')
    expect(entity).toContain('The pipeline checkout is already as it was in r2.')
  })

  it.each(['split', 'unified'])('has less than 12,000 elements (%s)', async (view) => {
    const service = await withRevisions(withMaterials('main'), withMaterials('next'))

    const html = await pageOf(service, `/config/r2/restore?view=${view}`)

    expect(html.match(/<\w/g)?.length).toBeGreaterThan(2_000)
    expect(html.match(/<\w/g)?.length).toBeLessThan(12_000)
    expect(html).toContain('>Compare r3 with r2<')
  })
})

describe('the restore of a role', () => {
  it('is offered at a step that took a member from it', async () => {
    const service = await withRevisions(
      withMembers('ana', 'bob'),
      withMembers('ana'),
      withMembers('ana', 'eve'),
    )

    const html = await pageOf(service, '/config/entity/role/devs')

    expect(html).toContain('href="/config/entity/role/devs/restore/r3"')
    expect(html).toContain('href="/config/entity/role/devs/restore/r2"')
  })
})

describe('undoing one change', () => {
  it('takes back what a revision changed, and nothing that came since', async () => {
    const since = MADE.replace('billing.git', 'invoices.git')
    const service = await withRevisions(ONE, MADE, since)

    const { html, response } = await confirm(service, '/config/r3/undo')

    expect(html).toContain('Reverses only r3. Later changes stay. Saved as r5.')
    const location = response.headers.get('location') ?? ''
    expect(location).toMatch(/^\/config\/compare\/r4\/r5\?flash=/)
    expect(await pageOf(service, location)).toContain('Saved as r5.')
    expect(await pageOf(service, location)).not.toContain('Saved as r5.')
    expect(await document(service)).toBe(ONE.replace('billing.git', 'invoices.git'))
    expect(await newestOf(service)).toMatchObject({
      subject: 'Undo r3 by admin',
      message: 'it worked',
    })
    const again = await pageOf(service, '/config/r3/undo')
    expect(again).toContain('The changes of r3 are already undone.')
    expect(again).not.toContain('nothing to restore')
  })

  it.each([
    { what: 'an addition', to: documentWith('checkout', 'billing', 'shipping', 'fresh') },
    { what: 'a removal', to: documentWith('checkout', 'billing') },
    {
      what: 'a change',
      to: ONE.replace('shipping.git" />\n      </materials>', 'x.git" />\n      </materials>'),
    },
  ])('takes back $what whose neighbour came later', async ({ to }) => {
    const later = to.replace('  </pipelines>', `${memberOf('later')}  </pipelines>`)
    const service = await withRevisions(ONE, to, later)

    await confirm(service, '/config/r3/undo')

    expect(await document(service)).toBe(documentWith('checkout', 'billing', 'shipping', 'later'))
  })

  it('is refused where somebody changed the same since, and says who', async () => {
    const service = await withRevisions(ONE, MADE)
    await addSomeone(service)
    await save(service, MADE.replace('ninja', 'bazel'), SOMEONE)
    await saveRevisions(service, MADE.replace('ninja', 'bazel').replace('billing.git', 'b.git'))

    const { html, response } = await confirm(service, '/config/r3/undo')

    expect(html).toContain(
      'r3 cannot be undone automatically: the pipeline checkout was changed again by someone in r4',
    )
    expect(html).toContain('href="/config/compare/r3/r4"')
    expect(html).not.toContain('name="reason"')
    expect(html.match(/<p class="actions">/g)).toHaveLength(1)
    expect(html.match(/class="button primary"[^>]*>[^<]*/g)).toEqual([
      expect.stringContaining('Open as an edit with the conflicts'),
    ])
    expect(response.status).toBe(412)
  })

  it('works where another part of the same thing has changed since', async () => {
    const since = MADE.replace('<job name="unit">', '<job name="unit" timeout="13">')
    const service = await withRevisions(ONE, MADE, since)

    await confirm(service, '/config/r3/undo')

    expect(await document(service)).toBe(since.replace('ninja', 'make'))
  })

  it('leaves what has changed since alone, and undoes the rest', async () => {
    const both = MADE.replace('billing.git', 'invoices.git')
    const since = both.replace('ninja', 'bazel')
    const service = await withRevisions(ONE, both, since)

    const html = await pageOf(service, '/config/r3/undo')
    const { html: rest } = await confirm(service, '/config/r3/undo?rest=1')

    expect(html).toContain('pipeline &quot;checkout&quot; › stage')
    expect(html).toContain('href="/config/r3/undo?rest=1"')
    expect(html).toContain('href="/config/edit?undo=r3"')
    expect(html).toContain('href="/config/entity/pipeline/checkout/restore/r2"')
    expect(rest).toContain('Reverses r3, except where it was changed again.')
    expect(await document(service)).toBe(since.replace('invoices.git', 'billing.git'))
    expect(await newestOf(service)).toMatchObject({ subject: 'Undo the rest of r3 by admin' })
  })

  it('opens as an edit with the conflicts', async () => {
    const since = MADE.replace('ninja', 'bazel')
    const service = await withRevisions(ONE, MADE, since)

    const html = await pageOf(service, '/config/edit?undo=r3')

    expect(html).toContain('1 conflict needs a choice')
    expect(html).toContain('Take admin’s (r4)')
  })

  it('does not say that it is done where things that look alike have moved', async () => {
    const made = memberOf('checkout').replace('make', 'ninja')
    const turned = MADE.replace(made, '').replace('  </pipelines>', `${made}  </pipelines>`)
    const service = await withRevisions(ONE, MADE, turned)

    await confirm(service, '/config/r3/undo')

    expect(await document(service)).toBe(turned.replace('ninja', 'make'))
  })

  it('names the agents that it touches as people do', async () => {
    const agent = '<agent hostname="builder-7" ipaddress="10.0.0.7" uuid="0f3c-uuid" />'
    const listed = ONE.replace('</cruise>', `<agents>${agent}</agents></cruise>`)
    const service = await withRevisions(ONE, listed)

    const html = await pageOf(service, '/config/r3/undo')

    expect(html).toContain('<dt>Agents</dt><dd>builder-7</dd>')
  })

  it('is no obstacle where it was changed and changed back', async () => {
    const service = await withRevisions(ONE, MADE, MADE.replace('ninja', 'bazel'), MADE)

    await confirm(service, '/config/r3/undo')

    expect(await document(service)).toBe(ONE)
  })

  it('does nothing over a configuration that was not seen, or without a reason', async () => {
    const service = await withRevisions(ONE, MADE)

    const [stale, silent] = await Promise.all([
      sendForm(service, '/config/r3/undo', { basedOn: '0'.repeat(32), reason: 'because' }),
      confirm(service, '/config/r3/undo', ' '),
    ])

    expect([stale.status, silent.response.status]).toEqual([412, 400])
    expect(await stale.text()).toContain('>\nbecause</textarea>')
    expect(await document(service)).toBe(MADE)
  })

  it('is offered where one revision is compared, and not of the first one', async () => {
    const service = await withRevisions(ONE, MADE)

    const [one, two, first] = await Promise.all(
      ['/config/compare/r2/r3', '/config/compare/r1/r3', '/config/r1/undo'].map((path) =>
        pageOf(service, path),
      ),
    )

    expect(one).toContain('href="/config/r3/undo"')
    expect(two).not.toContain('/undo"')
    expect(first).toContain('r1 is the first revision')
  })
})

/** The lines of one more pipeline. */
function memberOf(name: string): string {
  const [, member = ''] = /( {4}<pipeline name[^]*<\/pipeline>\n)/.exec(documentWith(name)) ?? []
  return member
}

describe('the restore of an agent', () => {
  const UUID = '7cc5ab78-8c05-4c86-9dd4-0b7a1bf8388f'
  const entity = `agent/${UUID}`

  function withAddress(address: string): string {
    const agent = `<agent hostname="build-01" ipaddress="${address}" uuid="${UUID}" />`
    return ONE.replace('</cruise>', `  <agents>\n    ${agent}\n  </agents>\n</cruise>`)
  }

  it('names its host, whether it can be restored, undone or compared', async () => {
    const service = await withRevisions(...['10.0.0.1', '10.0.0.2', '10.0.0.3'].map(withAddress))
    const textOf = async (path: string) =>
      (await pageOf(service, path)).replace(/<[^>]*>/g, '').replaceAll('&quot;', '"')

    const undo = await textOf('/config/r3/undo')
    expect(undo).toContain('the agent build-01 was changed again by admin in r4')
    expect(undo).toContain('agent "build-01"')
    expect(undo).toContain('Restore agent build-01 as of r2')
    expect(undo).not.toContain(UUID)
    const texts = {
      [`/config/entity/${entity}/restore/r2`]: 'Restore agent build-01 as of r2',
      [`/config/entity/${entity}/restore/r1`]: 'r1 has no agent build-01',
      [`/config/entity/${entity}/compare/r2/r3`]: 'Agent build-01 r2 → r3',
      [`/config/edit?entity=${entity}`]: 'Edit agent build-01',
      [`/config/compare/r2/r3?entity=${entity}`]: 'only agent build-01',
    }
    for (const [path, text] of Object.entries(texts)) expect(await textOf(path)).toContain(text)
  })
})
