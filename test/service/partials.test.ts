import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.ts'
import { postForm, save } from '../support/service/saving.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { securedDocument } from '../support/service/secured-document.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const STAGE = `<stage name="one"><jobs><job name="a" /><job name="b"><tasks /></job></jobs></stage>`
const OTHER = `<stage name="two">
        <jobs><job name="c" /></jobs>
      </stage>`
const PIPELINE = `<pipeline name="Shop">
      <materials><git url="https://example.org/shop.git" /></materials>
      ${STAGE}
      ${OTHER}
    </pipeline>`
const BASE = `<pipeline name="Base">
      <materials><git url="https://example.org/base.git" /></materials>
      <stage name="base"><jobs><job name="x" /></jobs></stage>
    </pipeline>`
const GROUP = `<pipelines group="first">
    ${BASE}
    ${PIPELINE}
  </pipelines>`
const TEMPLATES =
  '<templates><pipeline name="t"><stage name="t"><jobs><job name="t" /></jobs></stage></pipeline></templates>'
const DOCUMENT = `<cruise schemaVersion="75">
  ${GROUP}
  <pipelines group="second" />
  ${TEMPLATES}
</cruise>
`
const ROOT = '/admin/restful/configuration'
const SHORT_ROOT = '/admin/configuration'

const PARTS: readonly (readonly [string, Readonly<Record<string, string>>, string, string])[] = [
  ['group', { pipelineGroup: 'first' }, GROUP, 'Group changed successfully.'],
  ['group', { pipelineGroup: 'Pipeline Templates' }, TEMPLATES, 'Template changed successfully.'],
  [
    'pipeline',
    { pipelineGroup: 'first', pipelineIndex: '1' },
    PIPELINE,
    'Pipeline changed successfully.',
  ],
  ['stage', { pipelineName: 'shop', stageIndex: '1' }, OTHER, 'Stage changed successfully.'],
  [
    'build',
    { pipelineName: 'Shop', stageName: 'ONE', buildIndex: '1' },
    '<job name="b"><tasks /></job>',
    'JobConfig changed successfully.',
  ],
]

async function serviceWith(document: string): Promise<CalledService> {
  const service = await openService()
  await save(service, document)
  return service
}

async function current(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

function read(service: CalledService, part: string, names: Readonly<Record<string, string>>) {
  return service.fetch(`${ROOT}/${part}/GET/xml?${new URLSearchParams(names).toString()}`)
}

describe('parts of the configuration by the addresses of the original', () => {
  it.each(PARTS)('reads a %s %o byte for byte', async (part, names, xml) => {
    const service = await serviceWith(DOCUMENT)

    const answer = await read(service, part, { ...names, md5: digestOf(Buffer.from(DOCUMENT)) })

    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-service-config-md5')).toBe(digestOf(Buffer.from(DOCUMENT)))
    expect(await answer.text()).toBe(xml)
  })

  it.each(PARTS)('replaces a %s %o, and no other line', async (part, names, xml, result) => {
    const service = await serviceWith(DOCUMENT)
    const changed = xml.replace(/(>)([^<]*<\/[a-z]+>)$/, '$1<!-- changed -->$2')
    const md5 = digestOf(Buffer.from(DOCUMENT))

    const fields = { ...names, xmlPartial: changed, md5 }
    const answer = await postForm(service, fields, `${ROOT}/${part}/POST/xml`)

    expect(await answer.json()).toEqual({ result })
    expect(await current(service)).toBe(DOCUMENT.replace(xml, changed))
    expect(answer.headers.get('x-service-config-md5')).toBe(
      digestOf(Buffer.from(await current(service))),
    )
  })

  it.each([
    ['first.xml', GROUP, 'Group changed successfully.'],
    ['Pipeline%20Templates.xml', TEMPLATES, 'Template changed successfully.'],
    ['first/1.xml', PIPELINE, 'Pipeline changed successfully.'],
    ['first/shop/1.xml', OTHER, 'Stage changed successfully.'],
    ['first/Shop/ONE/1.xml', '<job name="b"><tasks /></job>', 'JobConfig changed successfully.'],
  ])('reads and replaces what the short address %s names', async (address, xml, result) => {
    const service = await serviceWith(DOCUMENT)
    const changed = xml.replace(/(>)([^<]*<\/[a-z]+>)$/, '$1<!-- changed -->$2')
    const md5 = digestOf(Buffer.from(DOCUMENT))

    const reading = await service.fetch(`${SHORT_ROOT}/${address}?md5=${md5}`)
    const saving = await postForm(service, { xmlPartial: changed, md5 }, `${SHORT_ROOT}/${address}`)

    expect([reading.status, await reading.text()]).toEqual([200, xml])
    expect(await saving.json()).toEqual({ result })
    expect(await current(service)).toBe(DOCUMENT.replace(xml, changed))
  })

  it.each([
    ['third.xml', 404, "Group 'third' not found."],
    ['first/2.xml', 404, 'Pipeline does not exist.'],
    ['second/Shop/0.xml', 404, "Pipeline 'Shop' not found."],
    ['second/Shop/one/0.xml', 404, "Pipeline 'Shop' not found."],
    ['first/Shop/2.xml', 404, 'Stage does not exist.'],
    ['first/Shop/one/2.xml', 404, 'Build does not exist.'],
    ['first/one.xml', 400, 'pipelineIndex "one" is not a whole number'],
    ['first/Shop/one/two/0.xml', 404, 'There is nothing at this address'],
  ])('knows nothing at the short address %s', async (address, status, message) => {
    const service = await serviceWith(DOCUMENT)

    const reading = await service.fetch(`${SHORT_ROOT}/${address}`)

    expect([reading.status, await reading.json()]).toMatchObject([
      status,
      { message: expect.stringContaining(message) },
    ])
  })

  it.each([
    ['pipeline', { pipelineGroup: 'second', pipelineIndex: '0' }, 'Pipeline does not exist.'],
    ['stage', { pipelineName: 'Shop', stageIndex: '2' }, 'Stage does not exist.'],
    ['stage', { pipelineName: 'none', stageIndex: '0' }, "Pipeline 'none' not found."],
    ['build', { pipelineName: 'Shop', stageName: 'one', buildIndex: '2' }, 'Build does not exist.'],
    ['build', { pipelineName: 'Shop', stageName: 'x', buildIndex: '0' }, "Stage 'x' not found."],
    ['group', { pipelineGroup: 'third' }, "Group 'third' not found."],
  ] as const)('knows no %s %o', async (part, names, message) => {
    const service = await serviceWith(DOCUMENT)
    const fields = { ...names, xmlPartial: '<x />', md5: digestOf(Buffer.from(DOCUMENT)) }

    const reading = await read(service, part, names)
    const saving = await postForm(service, fields, `${ROOT}/${part}/POST/xml`)

    expect([reading.status, await reading.json()]).toEqual([404, { message }])
    expect([saving.status, await saving.json()]).toEqual([
      404,
      { message, result: message, originalContent: '<x />' },
    ])
  })

  it('merges an edit that began from an older configuration, and refuses one that touches a later change', async () => {
    const service = await serviceWith(DOCUMENT)
    const md5 = digestOf(Buffer.from(DOCUMENT))
    const stage = { pipelineName: 'Shop', stageIndex: '0', md5 }
    const later = DOCUMENT.replace(OTHER, OTHER.replace('"c"', '"d"'))
    await save(service, later)

    const xmlPartial = STAGE.replace('"a"', '"z"')
    const merged = await postForm(service, { ...stage, xmlPartial }, `${ROOT}/stage/POST/xml`)
    const again = { ...stage, xmlPartial: STAGE.replace('"a"', '"y"') }
    const refused = await postForm(service, again, `${ROOT}/stage/POST/xml`)
    const asked = await read(service, 'stage', stage)

    expect([merged.status, refused.status, asked.status]).toEqual([200, 409, 409])
    expect(await refused.json()).toMatchObject({ originalContent: again.xmlPartial })
    expect(await current(service)).toBe(later.replace(STAGE, xmlPartial))
  })

  it.each([
    ['text that is not well-formed', '<stage', /not finished/],
    ['another element', '<job name="x" />', /<job> cannot come in the place of <stage>/],
    ['two elements', `${STAGE}${STAGE}`, /root/],
    ['what would not be valid', '<stage name="one" />', /jobs/],
    ['nothing', ' ', /root/],
  ])('refuses %s', async (_what, xmlPartial, result) => {
    const service = await serviceWith(DOCUMENT)
    const md5 = digestOf(Buffer.from(DOCUMENT))
    const fields = { pipelineName: 'Shop', stageIndex: '0', xmlPartial, md5 }

    const answer = await postForm(service, fields, `${ROOT}/stage/POST/xml`)

    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({
      result: expect.stringMatching(result) as unknown,
      originalContent: xmlPartial,
      errors: [{ line: expect.any(Number) as unknown, column: expect.any(Number) as unknown }],
    })
    expect(await current(service)).toBe(DOCUMENT)
  })

  it('removes the templates for a blank text', async () => {
    const service = await serviceWith(DOCUMENT)
    const md5 = digestOf(Buffer.from(DOCUMENT))
    const fields = { pipelineGroup: 'Pipeline Templates', xmlPartial: '', md5 }

    const answer = await postForm(service, fields, `${ROOT}/group/POST/xml`)

    expect(await answer.json()).toEqual({ result: 'Template changed successfully.' })
    expect(await current(service)).toBe(DOCUMENT.replace(`  ${TEMPLATES}\n`, ''))
  })

  it.each([
    [TEMPLATES, DOCUMENT],
    [' ', DOCUMENT.replace(`  ${TEMPLATES}\n`, '')],
  ])('puts %s into a document without templates', async (xmlPartial, expected) => {
    const document = DOCUMENT.replace(`  ${TEMPLATES}\n`, '')
    const service = await serviceWith(document)
    const md5 = digestOf(Buffer.from(document))
    const fields = { pipelineGroup: 'Pipeline Templates', xmlPartial, md5 }

    const answer = await postForm(service, fields, `${ROOT}/group/POST/xml`)

    expect(await answer.json()).toEqual({ result: 'Template changed successfully.' })
    expect(await current(service)).toBe(expected)
  })

  it('is open to administrators of the group, for what lies in it', async () => {
    const service = await openService()
    await secure(service)
    const document = securedDocument().replace(
      '</cruise>',
      `<pipelines group="theirs">${PIPELINE}</pipelines>${TEMPLATES}</cruise>`,
    )
    await save(service, document, loginOf('root') ?? '')
    const as = loginOf('owner')
    const asked = [
      'stage/GET/xml?pipelineName=hello&stageIndex=0',
      'stage/GET/xml?pipelineName=Shop&stageIndex=0',
      'stage/GET/xml?pipelineName=none&stageIndex=0',
      'group/GET/xml?pipelineGroup=theirs',
      'group/GET/xml?pipelineGroup=Pipeline+Templates',
    ].map((address) => service.fetch(`${ROOT}/${address}`, { as }))

    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([
      200, 403, 403, 403, 403,
    ])
  })
})
