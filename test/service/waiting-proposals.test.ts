import { expect, it } from 'vitest'
import { SAMPLE } from '../../src/api/definition/sample.ts'
import { ask, labelled } from '../support/proposals/proposing.ts'
import { putRules } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { LEVELS, type Role, securedDocument } from '../support/service/secured-document.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const ROOT = loginOf('root') ?? ''
const RULES = `version: 1
rules:
  - name: labels
    match: { entity: pipeline/hello, path: [labeltemplate] }
    need: [{ approvals: 1, of: user/viewer }]
    not: [author]
  - name: groups
    match: { entity: [pipeline in group/other], change: [added, removed] }
    need: [{ approvals: 1, of: admins of the group }]
    not: [author]
`
/** With it, nothing is answered without a merge. */
const OF_THE_PLAN = `  - name: plan
    match: { plan: ["starts > 1000"] }
    need: [{ reason: required }]
`

function pipeline(name: string, upstream: string | null = null): string {
  const material =
    upstream === null
      ? '<git url="/nowhere" />'
      : `<pipeline pipelineName="${upstream}" stageName="${SAMPLE.stage}" />`
  return `<pipeline name="${name}">
      <materials>${material}</materials>
      <stage name="${SAMPLE.stage}"><jobs><job name="one"><tasks><ant /></tasks></job></jobs></stage>
    </pipeline>`
}

/** A second group, which the owner of the first administers, and one that root alone may view. */
function document(): string {
  const groups = [
    ['other', 'owner', pipeline('second')],
    ['hidden', 'nobody-else', pipeline('secretive')],
  ].map(
    ([name, admin, pipelines]) => `  <pipelines group="${name}">
    <authorization><view><user>viewer</user></view><admins><user>${admin}</user></admins></authorization>
    ${pipelines}
  </pipelines>
`,
  )
  return securedDocument().replace('</cruise>', `${groups.join('')}</cruise>`)
}

/** Approvers whom nobody knows, and who have rights already. */
const [GHOST, KNOWN] = ['ghost', 'operator'].map((user) =>
  pipeline('second').replace(
    '<jobs>',
    `<approval type="manual"><authorization><user>${user}</user></authorization></approval><jobs>`,
  ),
)
const PROPOSED: readonly (readonly [Role, string, string | null, string?])[] = [
  ['viewer', 'hello', labelled('mine')],
  ['owner', 'hello', labelled('own')],
  ['root', 'hello', labelled('all')],
  ['viewer', 'second', pipeline('second').replace('one', 'two')],
  ['viewer', 'third', pipeline('third'), 'other'],
  ['owner', 'third', pipeline('third'), 'other'],
  ['viewer', 'second', pipeline('second', 'hello')],
  ['viewer', 'second', pipeline('second', 'secretive')],
  ['owner', 'second', null],
  ['root', 'secretive', pipeline('secretive').replace('one', 'two')],
  ['viewer', 'second', GHOST ?? ''],
  ['viewer', 'second', KNOWN ?? ''],
]

/** The places of the proposals that wait for a user of a role. */
async function waitingFor(service: CalledService, role: Role): Promise<string> {
  const { body } = await ask(service, role, '?waiting-for=me')
  const titles = [...JSON.stringify(body).matchAll(/"title":"(\d+)"/g)]
  return titles
    .map(([, title]) => title)
    .toReversed()
    .join(' ')
}

it('the proposals that wait for somebody are the same with and without a merge of each', async () => {
  const service = await openService()
  await secure(service)
  await save(service, document(), ROOT)
  expect((await putRules(service, RULES)).status).toBeLessThan(300)
  for (const [n, [role, name, xml, group]] of PROPOSED.entries()) {
    const entities = [{ kind: 'pipeline', name, xml, ...(group === undefined ? {} : { group }) }]
    const { status, body } = await ask(service, role, '', { title: `${n}`, entities })
    expect([n, status, body]).toMatchObject([n, 201, {}])
  }
  const all = () => Promise.all(LEVELS.user.map((role) => waitingFor(service, role)))
  const asWritten = await all()
  await putRules(service, `${RULES}${OF_THE_PLAN}`)

  const merged = await all()

  expect(asWritten).toEqual(merged)
  expect(merged).toEqual(['0 3 4 5 6 7 8 10 11', '0 3 4 6 11', '', '1 2', '', ''])
})
