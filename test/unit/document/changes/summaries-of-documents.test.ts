import { describe, expect, it } from 'vitest'
import { renderChange } from '../../../../src/document/changes/render-change.ts'
import { summariseChanges } from '../../../../src/document/changes/summarise-changes.ts'
import { readXml } from '../../../../src/document/xml/xml-reader.ts'
import { xmlDocument } from '../../../support/documents/xml-documents.ts'
import { DOCUMENT, told } from '../../../support/documents/summaries.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'

function manyAgents(ip: string): string {
  const agents = Array.from(
    { length: 1_500 },
    (_, at) => `<agent uuid="${at}" ipaddress="${ip}" />`,
  )
  return `<cruise><agents>${agents.join('')}</agents></cruise>`
}

function jobsOf(timeout: string): string {
  const jobs = Array.from(
    { length: 8 },
    (_, at) => `\n<job name="j${at}" timeout="${timeout}${at % 7}" />`,
  )
  return jobs.join('')
}

describe('the summary of two documents', () => {
  it('follows a pipeline that is renamed, changed and moved at once', () => {
    const old = `<pipeline name="a"><stage name="s"><jobs>${jobsOf('1')}</jobs></stage></pipeline>`
    const renamed = old.replace('"a"', '"b"').replace('timeout="16"', 'timeout="99"')
    const before = `<cruise><pipelines group="x">${old}</pipelines><pipelines group="y"></pipelines></cruise>`
    const after = `<cruise><pipelines group="x"></pipelines><pipelines group="y">${renamed}</pipelines></cruise>`

    expect(told(before, after)).toEqual([
      'pipeline/b renamed: rename pipeline a → b',
      'pipeline/b changed: group x → y',
      'pipeline/b changed: stage s › job j6: timeout 16 → 99',
    ])
  })

  it('shows no secret in any value', () => {
    const secrets = [
      '<svn url="https://u:hunter2@example.org" username="u" password="hunter2" encryptedPassword="AES:x:hunter2" />',
      '<variable name="S" secure="true"><encryptedValue>hunter2</encryptedValue></variable>',
      '<variable name="T" secure="true"><value>hunter2</value></variable>',
      '<variable name="U" secure="true">hunter2</variable>',
      '<property><key secure="true">p</key><value>hunter2</value></property>',
      '<ldap managerPassword="hunter2" encryptedManagerPassword="hunter2" />',
      '<server webhookSecret="hunter2" tokenGenerationKey="hunter2" agentAutoRegisterKey="hunter2" />',
      '<exec command="curl"><arg>https://u:hunter2@example.org</arg></exec>',
    ].map((element) => `<x>${element}</x>`)
    const document = `<cruise>${secrets.join('')}</cruise>`
    const other = xmlDocument(document.replaceAll('hunter2', 'swordfish'))
    const none = xmlDocument('<cruise></cruise>')
    const changes = [
      ...runSync(summariseChanges(xmlDocument(document), other)),
      ...runSync(summariseChanges(other, none)),
      ...runSync(summariseChanges(none, other)),
    ]

    expect(changes.length).toBeGreaterThan(10 + 2 * secrets.length - 1)
    expect(JSON.stringify(changes)).not.toMatch(/hunter2|swordfish/)
    expect(changes.filter(({ from, to }) => [from, to].join().includes('hidden'))).not.toEqual([])
  })

  it('points to the lines in both texts', () => {
    const [change] = runSync(
      summariseChanges(
        xmlDocument(DOCUMENT),
        xmlDocument(DOCUMENT.replace('<server', '\n\n<server').replace('10.0.0.1', '10.0.0.2')),
      ),
    )

    expect(change).toMatchObject({ before: { first: 7, last: 7 }, after: { first: 9, last: 9 } })
  })

  it('shows where two long values differ, and the same ones that differ in white space', () => {
    const long = 'x'.repeat(500)
    const [change] = runSync(
      summariseChanges(
        xmlDocument(`<cruise a="${long}1${long}" b="p q" />`),
        xmlDocument(`<cruise a="${long}2${long}" b="p  q" />`),
      ),
    )

    expect(change?.from).toMatch(/^…x{26}1x+…$/)
    expect(change?.to).toMatch(/^…x{26}2x+…$/)
  })

  it('calls the first configuration so and names all that is in it', () => {
    const changes = runSync(summariseChanges(null, xmlDocument(DOCUMENT)))

    expect(changes.map(renderChange).slice(0, 3)).toEqual([
      'add configuration (8 lines)',
      'add pipeline shop',
      'add template base',
    ])
    expect(changes.every(({ kind }) => kind === 'added')).toBe(true)
  })

  it('says so when a text cannot be compared', () => {
    const broken = runSync(readXml(Buffer.from('<cruise>\n<a></cruise>')))

    const changes = runSync(summariseChanges(broken, xmlDocument(DOCUMENT)))

    expect(changes.map(renderChange)).toEqual([
      expect.stringMatching(/^text unreadable at line 2: .* → readable$/),
    ])
  })

  it('reports a document that was laid out anew as one thing', () => {
    const agents = Array.from(
      { length: 30 },
      (_, at) => `<agent hostname="h${at}" uuid="u${at}" />`,
    )
    const before = `<cruise>${agents.join('')}</cruise>`

    expect(told(`<cruise><agents>${before}</agents></cruise>`, before)).not.toEqual([])
    expect(
      told(
        `<cruise><agents>${agents.join('')}</agents></cruise>`,
        `<cruise><agents>${agents.join('').replaceAll(' />', '/>')}</agents></cruise>`,
      ),
    ).toEqual(['document reformatted: layout only'])
  })

  it('stops telling details where everything is otherwise', () => {
    const changes = told(manyAgents('1.1.1.1'), manyAgents('1.1.1.2'))

    expect(changes).toHaveLength(1_500)
    expect(changes[0]).toBe('agent/0 changed: ipaddress 1.1.1.1 → 1.1.1.2')
    expect(changes.at(-1)).toBe('agent/1499 changed: content changed')
  })
})
