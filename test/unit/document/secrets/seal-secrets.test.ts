import { describe, expect, it } from 'vitest'
import { maskSecrets } from '../../../../src/document/text/shown-text.ts'
import { findPlainSecrets } from '../../../../src/document/secrets/plain-secrets.ts'
import { rotateSecrets, sealSecrets } from '../../../../src/document/secrets/seal-secrets.ts'
import { SecretBox } from '../../../../src/document/secrets/secret-box.ts'
import { realRevisions, validDocuments } from '../../../support/documents/config-corpus.ts'
import { SHARED_DATA } from '../../../support/programs/shared-data.ts'
import { xmlDocument } from '../../../support/documents/xml-documents.ts'

const OLD = Buffer.alloc(32, 1)
const NEW = Buffer.alloc(32, 2)
const box = new SecretBox([OLD])

/** Seals, and shows every sealed value as the secret in brackets. */
function sealed(text: string): string {
  const { text: done } = sealSecrets(xmlDocument(text), box)
  return done.replace(/AES:[^"'<@]*/g, (value) => `[${box.open(value)}]`)
}

function variable(value: string): string {
  return `<v>\n  <variable name="a" secure="true">\n    ${value} <!-- ours -->\n  </variable>\n</v>`
}

describe('sealSecrets', () => {
  it.each(['svn', 'p4', 'tfs', 'git', 'hg', 'mailhost'])('seals the password of %s', (name) => {
    expect(sealed(`<c>\n <${name}  url="u"   password='a&amp;b' dest="d"/>\n</c>`)).toBe(
      `<c>\n <${name}  url="u"   encryptedPassword='[a&b]' dest="d"/>\n</c>`,
    )
  })

  it('seals the password of an ldap manager', () => {
    expect(sealed('<ldap uri="u" managerPassword="pw"/>')).toBe(
      '<ldap uri="u" encryptedManagerPassword="[pw]"/>',
    )
  })

  it('lets a plain password replace the encrypted one beside it', () => {
    expect(sealed('<svn password="new" encryptedPassword="b2xk" url="u"/>')).toBe(
      '<svn encryptedPassword="[new]" url="u"/>',
    )
    expect(sealed('<svn encryptedPassword="b2xk" url="u" password="new"/>')).toBe(
      '<svn url="u" encryptedPassword="[new]"/>',
    )
  })

  it.each([
    ['<git url="https://ana:p%40&amp;s@h/r"/>', '<git url="https://ana:[p%40&s]@h/r"/>'],
    ['<hg url="https://ghp_x@h/r"/>', '<hg url="https://[ghp_x]@h/r"/>'],
    ['<git url="ssh://git:pw@h/r"/>', '<git url="ssh://git:[pw]@h/r"/>'],
    [
      `<svn url='https://ana:p%40s@h/r' dest='d'/>`,
      `<svn url='https://h/r' dest='d' username='ana' encryptedPassword='[p@s]'/>`,
    ],
    [
      '<svn url="https://ana:pw@h/r" username="bob" encryptedPassword="b2xk"/>',
      '<svn url="https://h/r" username="bob" encryptedPassword="b2xk"/>',
    ],
    [
      '<svn url="https://ana:old@h/r" password="new"/>',
      '<svn url="https://h/r" encryptedPassword="[new]" username="ana"/>',
    ],
    ['<svn url="svn+ssh://ana:pw@h/r"/>', '<svn url="svn+ssh://ana:[pw]@h/r"/>'],
  ])('seals the secret of the address in %s', (text, expected) => {
    expect(sealed(text)).toBe(expected)
  })

  it('seals the value of a secure variable', () => {
    expect(sealed(variable('<value><![CDATA[ p<w ]]></value>'))).toBe(
      variable('<encryptedValue>[p<w]</encryptedValue>'),
    )
    expect(sealed(variable('<encryptedValue>b2xk</encryptedValue>\n    <value>pw</value>'))).toBe(
      variable('<encryptedValue>[pw]</encryptedValue>'),
    )
  })

  it('seals a value that stands in the variable itself', () => {
    expect(sealed('<v><variable name="a" secure="1">pw</variable></v>')).toBe(
      '<v><variable name="a" secure="1"><encryptedValue>[pw]</encryptedValue></variable></v>',
    )
  })

  it('seals a property of a plugin that is marked as secure', () => {
    expect(sealed('<property><key secure="true">k</key><value>pw</value></property>')).toBe(
      '<property><key secure="true">k</key><encryptedValue>[pw]</encryptedValue></property>',
    )
  })

  it.each([
    '<variable name="a"><value>v</value></variable>',
    '<variable name="a" secure="false"><value>v</value></variable>',
    '<variable name="a" secure="true"><value/></variable>',
    '<variable name="a" secure="true"><encryptedValue>b2xk</encryptedValue></variable>',
    '<property><key>password</key><value>v</value></property>',
    '<svn url="u" password=""/>',
    '<svn url="u" encryptedPassword="b2xk"/>',
    '<plugin password="none of ours"/>',
  ])('leaves %s as it is', (text) => {
    expect(sealSecrets(xmlDocument(text), box)).toEqual({ text, sealed: 0 })
  })

  it('leaves nothing to find', () => {
    const text = '<c><svn password="a"/><variable secure="true"><value>b</value></variable></c>'

    const done = sealSecrets(xmlDocument(text), box)

    expect(done.sealed).toBe(2)
    expect(sealSecrets(xmlDocument(done.text), box)).toEqual({ text: done.text, sealed: 0 })
    expect(findPlainSecrets(xmlDocument(done.text))).toEqual([])
  })
})

describe('sealed documents', () => {
  it.skipIf(SHARED_DATA === null)('of every kind hold no plain secret and nothing else new', () => {
    const documents = [...realRevisions(4), ...validDocuments()]
    const results = documents.map((text) => sealSecrets(xmlDocument(text), box))

    expect(results.some(({ sealed: count }) => count > 0)).toBe(true)
    expect(results.flatMap(({ text }) => findPlainSecrets(xmlDocument(text)))).toEqual([])
    const unsealed = results.filter(({ sealed: count }) => count === 0)
    expect(unsealed.filter(({ text }) => !documents.includes(text))).toEqual([])
  })
})

describe('findPlainSecrets', () => {
  it('says where each stands and not what it is', () => {
    const text = `<cruise>
  <pipelines><pipeline name="p"><materials>
    <git url="u" password="hunter2" />
  </materials><environmentvariables>
    <variable name="a" secure="true"><value>hunter2</value></variable>
  </environmentvariables></pipeline></pipelines>
</cruise>`

    const problems = findPlainSecrets(xmlDocument(text))

    expect(problems).toEqual([
      {
        message: 'the attribute "password" of <git> is in plain text',
        path: expect.stringContaining('pipeline "p"'),
        line: 3,
        column: 18,
      },
      {
        message: 'the value of a secure variable is in plain text',
        path: expect.stringContaining('variable "a"'),
        line: 5,
        column: 38,
      },
    ])
    expect(JSON.stringify(problems)).not.toContain('hunter2')
  })
})

describe('rotateSecrets', () => {
  it('seals ours again in addresses', () => {
    const { text } = sealSecrets(xmlDocument('<git url="https://ana:pw@h/r"/>'), box)

    const rotated = rotateSecrets(xmlDocument(text), new SecretBox([NEW, OLD]))

    const [, secret = ''] = /ana:(.*)@h/.exec(rotated.text ?? '') ?? []
    expect(rotated).toMatchObject({ rotated: 1, foreign: 0 })
    expect(new SecretBox([NEW]).open(secret)).toBe('pw')
  })

  it('seals ours again and keeps what others encrypted', () => {
    const text = `<c>
  <svn encryptedPassword='${box.seal('one')}'/>
  <ldap encryptedManagerPassword="bWcpNZIkHhs="/>
  <encryptedValue>
    ${box.seal('two')}
  </encryptedValue>
</c>`
    const rotating = new SecretBox([NEW, OLD])

    const first = rotateSecrets(xmlDocument(text), rotating)
    const second = rotateSecrets(xmlDocument(first.text ?? ''), rotating)

    expect(first).toMatchObject({ rotated: 2, foreign: 1 })
    const values = [...(first.text ?? '').matchAll(/AES:[^<'\s]*/g)].map(([value]) => value)
    expect(values.map((value) => new SecretBox([NEW]).open(value))).toEqual(['one', 'two'])
    expect(first.text).toContain('encryptedManagerPassword="bWcpNZIkHhs="')
    expect(second).toEqual({ text: null, rotated: 0, foreign: 1 })
  })
})

describe('maskSecrets', () => {
  it.each([
    ['<svn password="pw" url="u"/>', '<svn password="••••••" url="u"/>'],
    [`<svn encryptedPassword='b2xk'/>`, `<svn encryptedPassword='••••••'/>`],
    ['<ldap encryptedManagerPassword = "b2xk"', '<ldap encryptedManagerPassword = "••••••"'],
    ['<svn password="half of it', '<svn password="••••••'],
    ['<encryptedValue>b2xk=</encryptedValue>', '<encryptedValue>••••••</encryptedValue>'],
    ['<encryptedValue>b2\nxk=\n</encryptedValue>', '<encryptedValue>••••••\n\n</encryptedValue>'],
    ['  AES:AAAAAAAAAAAAAAAA:AAAA==', '  ••••••'],
    ['<git url="https://bob:pw@host/x?a=b@c"/>', '<git url="https://bob:••••••@host/x?a=b@c"/>'],
    ['<git url="https://host:80/a@b"/>', '<git url="https://host:80/a@b"/>'],
    ['<passwordFile path="/etc/users"/>', '<passwordFile path="/etc/users"/>'],
  ])('shows %j as %j', (text, shown) => {
    expect(maskSecrets(text)).toBe(shown)
  })
})
